/* A queue of one cell between two producers and a consumer, with a condition for each direction. Whoever signals before
 * anybody waits must still be heard, which the loops around the waits see to.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DWRONG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int cell, sum;

static void *produce(void *arg)
{
    pthread_mutex_lock(&lock);
    while (cell != 0)
        pthread_cond_wait(&emptied, &lock);
    assert(cell == 0);
    cell = (int)(long)arg;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consume(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (cell == 0)
            pthread_cond_wait(&filled, &lock);
        sum += cell;
        cell = 0;
        pthread_cond_broadcast(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, produce, (void *)1L);
    pthread_create(&b, NULL, produce, (void *)2L);
    pthread_create(&c, NULL, consume, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
#ifdef WRONG
    assert(sum != 3);
#else
    assert(sum == 3);
#endif
    return 0;
}
