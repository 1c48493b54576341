/* A broadcast wakes both threads that wait for one condition; each takes one of two units, and none is taken
 * twice.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int units;

static void *taker(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (units == 0)
        pthread_cond_wait(&changed, &mutex);
    units--;
    assert(units >= 0);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *giver(void *unused)
{
    pthread_mutex_lock(&mutex);
    units = 2;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, taker, NULL);
    pthread_create(&b, NULL, taker, NULL);
    pthread_create(&c, NULL, giver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(units == 0);
    return 0;
}
