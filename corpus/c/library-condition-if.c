/* Two consumers, one item, and a wait behind `if` instead of `while`: the one that is woken finds that another was
 * quicker. Wrong everywhere.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int items;

static void *consumer(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (items == 0)
        pthread_cond_wait(&changed, &mutex);
    items--;
    assert(items >= 0);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *producer(void *unused)
{
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_create(&c, NULL, producer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
