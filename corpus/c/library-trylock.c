/* Two threads try a mutex; who gets it counts. Whoever fails to get it must not count, or an update is lost.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DCOUNT_ANYWAY sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter, got[2];

static void *try(void *arg)
{
    int me = (int)(long)arg;
    if (pthread_mutex_trylock(&mutex) == 0) {
        counter++;
        got[me] = 1;
        pthread_mutex_unlock(&mutex);
    }
#ifdef COUNT_ANYWAY
    else {
        counter++;
        got[me] = 1;
    }
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, try, (void *)0L);
    pthread_create(&b, NULL, try, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == got[0] + got[1]);
    assert(counter >= 1);
    return 0;
}
