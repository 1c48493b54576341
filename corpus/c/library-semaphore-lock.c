/* A semaphore as a lock. With one unit it excludes, with two it does not.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DTWO_UNITS sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifdef TWO_UNITS
#define UNITS 2
#else
#define UNITS 1
#endif

sem_t units;
int counter;

static void *count(void *unused)
{
    sem_wait(&units);
    counter++;
    sem_post(&units);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&units, 0, UNITS);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
