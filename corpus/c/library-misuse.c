/* Locks and barriers that are used wrongly: each variant is a failure in all executions or in some.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNLOCK_TWICE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DDESTROY_LOCKED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DDESTROY_EARLY sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DDESTROY_TWICE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DNO_BARRIER sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DRWLOCK sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t mutex;
pthread_rwlock_t lock;
pthread_barrier_t barrier;
int counter;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
#ifdef UNLOCK_TWICE
    pthread_mutex_unlock(&mutex);
#endif
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
#ifdef RWLOCK
    pthread_rwlock_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_init(&lock, NULL);
#ifndef NO_BARRIER
    pthread_barrier_init(&barrier, NULL, 1);
#endif
    pthread_barrier_wait(&barrier);
    pthread_create(&a, NULL, run, NULL);
#ifdef DESTROY_EARLY
    pthread_mutex_destroy(&mutex);
#endif
    pthread_join(a, NULL);
#ifdef DESTROY_LOCKED
    pthread_mutex_lock(&mutex);
#endif
#ifdef DESTROY_TWICE
    pthread_mutex_destroy(&mutex);
#endif
    pthread_mutex_destroy(&mutex);
    pthread_rwlock_destroy(&lock);
    pthread_barrier_destroy(&barrier);
    return 0;
}
