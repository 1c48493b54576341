/* A lock with a time never waits for ever, and gets the lock if that is free. A wait with a time may end for no reason, as other waits do.
 * @expect --property deadlock sc: SAFE
 * @expect -DGOT sc: UNSAFE
 * @expect -DSEMAPHORE --property deadlock sc: SAFE
 * @expect -DSPURIOUS sc: UNSAFE
 * @expect -DFREE sc: SAFE
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void *keeper(void *arg)
{
    pthread_mutex_lock(&lock);
    return arg;
}

int main(void)
{
    struct timespec until = { 0, 0 };
#if defined SEMAPHORE
    sem_init(&semaphore, 0, 0);
    sem_timedwait(&semaphore, &until);
#elif defined SPURIOUS
    pthread_mutex_lock(&lock);
    assert(pthread_cond_timedwait(&condition, &lock, &until) == ETIMEDOUT);
#elif defined FREE
    assert(pthread_mutex_timedlock(&lock, &until) == 0);
    assert(pthread_mutex_timedlock(&lock, &until) == ETIMEDOUT);
#else
    pthread_t thread;
    pthread_create(&thread, NULL, keeper, NULL);
    pthread_join(thread, NULL);
    int result = pthread_mutex_timedlock(&lock, &until);
#ifdef GOT
    assert(result == 0);
#endif
#endif
    return 0;
}
