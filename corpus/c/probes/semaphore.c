/* A semaphore with one unit is a lock, one with two is none. sem_trywait may come away empty, sem_getvalue tells
 * what is left.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNITS=2 sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef UNITS
#define UNITS 1
#endif

sem_t units, done;
int counter, skipped;

static void *count(void *arg)
{
    if (arg) {
        if (sem_trywait(&units) != 0) {
            __sync_fetch_and_add(&skipped, 1);
            sem_post(&done);
            return NULL;
        }
    } else {
        sem_wait(&units);
    }
    counter++;
    sem_post(&units);
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int left;
    sem_init(&units, 0, UNITS);
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, &counter);
    sem_wait(&done);
    sem_wait(&done);
    assert(counter + skipped == 2);
    sem_getvalue(&units, &left);
    assert(left == UNITS);
    return 0;
}
