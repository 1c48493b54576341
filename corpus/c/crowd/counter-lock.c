/* Any number of threads and a counter under a mutex. It says how many threads are inside.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int inside;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
