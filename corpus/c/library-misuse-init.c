/* What is in use must not be initialised: a barrier twice, a mutex that is locked, a read-write lock that is held. With -DDESTROYED the barrier was
 * destroyed in between, and with -DLOCAL it is a variable of a function, which holds anything before.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DMUTEX sc: UNSAFE; rc11: UNSAFE
 * @expect -DRWLOCK sc: UNSAFE; rc11: UNSAFE
 * @expect -DDESTROYED sc: SAFE; tso: SAFE; aarch64: SAFE; rc11: SAFE
 * @expect -DLOCAL sc: SAFE; tso: SAFE; rc11: SAFE
 */
#include <pthread.h>
#include <stddef.h>

static struct {
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
} shared;

static void *other(void *unused)
{
#if defined(MUTEX)
    pthread_mutex_init(&shared.mutex, NULL);
#elif defined(RWLOCK)
    pthread_rwlock_init(&shared.rwlock, NULL);
#elif defined(LOCAL)
    pthread_barrier_t own;
    pthread_barrier_init(&own, NULL, 1);
    pthread_barrier_wait(&own);
#else
#ifdef DESTROYED
    pthread_barrier_destroy(&shared.barrier);
#endif
    pthread_barrier_init(&shared.barrier, NULL, 2);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&shared.barrier, NULL, 3);
    pthread_mutex_init(&shared.mutex, NULL);
    pthread_rwlock_init(&shared.rwlock, NULL);
    pthread_mutex_lock(&shared.mutex);
    pthread_rwlock_rdlock(&shared.rwlock);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&shared.rwlock);
    pthread_mutex_unlock(&shared.mutex);
    return 0;
}
