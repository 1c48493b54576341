/* Store buffering with a function of the library between the store and the load. On the machines where it only releases or acquires it is no fence. On x86 most of
 * these functions are locked instructions; the unlock of a spin lock is a plain store, pthread_once that finds its work done is a load, and so is a signal that finds
 * nobody waiting. Barriers order what comes before them with what comes after, in all who take part.
 * @expect tso: SAFE; x86tso: SAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DREAD_LOCK tso: SAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DSPIN sc: SAFE; tso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE
 * @expect -DONCE sc: SAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DSIGNAL sc: SAFE; tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int x, y;
static int r1, r2;
static sem_t semaphores[2];
static pthread_rwlock_t locks[2] = { PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER };
static pthread_spinlock_t spins[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t conditions[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };

static void work(void) {}

static void store(atomic_int *at, int me)
{
#ifdef SPIN
    pthread_spin_lock(&spins[me]);
#endif
    atomic_store_explicit(at, 1, memory_order_relaxed);
#if defined READ_LOCK
    pthread_rwlock_rdlock(&locks[me]);
    pthread_rwlock_unlock(&locks[me]);
#elif defined SPIN
    pthread_spin_unlock(&spins[me]);
#elif defined ONCE
    pthread_once(&once, work);
#elif defined SIGNAL
    pthread_cond_signal(&conditions[me]);
#else
    sem_post(&semaphores[me]);
#endif
}

static void *first(void *arg)
{
    store(&x, 0);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    store(&y, 1);
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&semaphores[0], 0, 0);
    sem_init(&semaphores[1], 0, 0);
    pthread_spin_init(&spins[0], 0);
    pthread_spin_init(&spins[1], 0);
    pthread_once(&once, work);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r1 || r2);
    return 0;
}
