/* Threads that wait for each other: as many as THREADS have to be there at the same time before one goes through.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect -DTHREADS=4 sc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 3
#endif

int here;

static void *work(void *arg)
{
    __sync_fetch_and_add(&here, 1);
    assert(here < THREADS);
    __sync_fetch_and_sub(&here, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
