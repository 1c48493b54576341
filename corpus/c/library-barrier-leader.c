/* Exactly one of the threads at a barrier is told that it is the one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int leaders[2];

static void *meet(void *arg)
{
    int me = (int)(long)arg;
    leaders[me] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, meet, (void *)0L);
    pthread_create(&b, NULL, meet, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(leaders[0] + leaders[1] == 1);
    return 0;
}
