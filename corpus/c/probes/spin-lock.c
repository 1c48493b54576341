/* A spin lock of POSIX, and timed locks of mutexes that may give up.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DONE sc: SAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_spinlock_t spin;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y, r0, r1, counter, given_up;

static void *left(void *unused)
{
    struct timespec until = { 1, 0 };
#ifndef ONE
    pthread_spin_lock(&spin);
#endif
    x = 1;
    r0 = y;
#ifndef ONE
    pthread_spin_unlock(&spin);
#endif
    if (pthread_mutex_timedlock(&lock, &until) == 0) {
        counter++;
        pthread_mutex_unlock(&lock);
    } else {
        __sync_fetch_and_add(&given_up, 1);
    }
    return NULL;
}

static void *right(void *unused)
{
    pthread_spin_lock(&spin);
    y = 1;
    r1 = x;
    pthread_spin_unlock(&spin);
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter + given_up == 2);
    assert(r0 || r1);
    return 0;
}
