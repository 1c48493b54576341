/* A spin lock is unlocked that nobody has. With -DSEMAPHORE: a semaphore has a largest value.
 * @expect sc: UNSAFE
 * @expect -DSEMAPHORE sc: SAFE
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_spinlock_t spin;
static sem_t semaphore;

int main(void)
{
#ifdef SEMAPHORE
    assert(sem_init(&semaphore, 0, 0x80000000u) == -1 && errno == EINVAL);
    assert(sem_init(&semaphore, 0, 0x7fffffffu) == 0);
    assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    assert(sem_wait(&semaphore) == 0 && sem_post(&semaphore) == 0);
#else
    pthread_spin_init(&spin, 0);
    pthread_spin_unlock(&spin);
#endif
    return 0;
}
