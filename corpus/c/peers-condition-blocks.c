/* Waiting for a condition blocks: without a signal the thread does not go on. Who lets it do nothing raises a
 * false alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!ready)
        pthread_cond_wait(&changed, &mutex);
    assert(ready);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *waker(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&changed);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
