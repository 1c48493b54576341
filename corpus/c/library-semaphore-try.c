/* One unit, two threads that try to take it and never give it back: exactly one succeeds.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t unit;
int got[2];

static void *try(void *arg)
{
    int me = (int)(long)arg;
    got[me] = sem_trywait(&unit) == 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&unit, 0, 1);
    pthread_create(&a, NULL, try, (void *)0L);
    pthread_create(&b, NULL, try, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(got[0] + got[1] == 1);
    return 0;
}
