/* Threads that are joined wrongly, and mutexes that are unlocked by another thread than the one that has them: failures.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DZERO sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DUNINITIALISED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DTWICE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DBY_ANOTHER sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 * @expect -DDETACHED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DDETACHES_ITSELF sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DITSELF sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DIN_A_LOOP sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DOWN_LOOP sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DUNLOCK_OTHER sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DUNLOCK_BY_FUNCTION sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DTRYLOCK sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DHAND_OVER_BY_JOIN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DNOT_INITIALISED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_t global;
int counter;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

static void *run(void *arg)
{
#ifdef TRYLOCK
    if (pthread_mutex_trylock(&mutex) == 0) {
        counter++;
        pthread_mutex_unlock(&mutex);
    }
#else
    lock();
    counter++;
    unlock();
#endif
#ifdef DETACHES_ITSELF
    pthread_detach(pthread_self());
#endif
#ifdef BY_ANOTHER
    if (arg) pthread_join(*(pthread_t *)arg, NULL);
#endif
    return NULL;
}

static void *gives_back(void *arg)
{
#ifdef UNLOCK_BY_FUNCTION
    unlock();
#endif
#if defined(UNLOCK_OTHER) || defined(HAND_OVER_BY_JOIN)
    pthread_mutex_unlock(&mutex);
#endif
#ifdef HAND_OVER_BY_JOIN
    pthread_mutex_lock(&mutex);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
#ifdef ZERO
    pthread_join(global, NULL);
#endif
#ifdef UNINITIALISED
    pthread_join(a, NULL);
#endif
#ifdef ITSELF
    pthread_join(pthread_self(), NULL);
#endif
#ifdef NOT_INITIALISED
    pthread_mutex_t *fresh = malloc(sizeof *fresh);
    pthread_mutex_lock(fresh);
#endif
#if defined(UNLOCK_OTHER) || defined(HAND_OVER_BY_JOIN) || defined(UNLOCK_BY_FUNCTION)
    lock();
    pthread_create(&a, NULL, gives_back, NULL);
    pthread_join(a, NULL);
    return 0;
#endif
#if defined(IN_A_LOOP) || defined(OWN_LOOP)
    pthread_t all[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&all[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
#ifdef OWN_LOOP
        pthread_join(all[i], NULL);
#else
        pthread_join(all[0], NULL);
#endif
    return 0;
#endif
    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, &a);
#ifdef DETACHED
    pthread_detach(a);
#endif
#ifdef TWICE
    pthread_join(a, NULL);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
