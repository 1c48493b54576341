/* Any number of threads turn three values round under a lock, and one thread looks at them. BROKEN looks without the lock.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int a = 1, b = 2, c = 3;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *turn(void *arg)
{
    while (1) {
        pthread_mutex_lock(&lock);
        int old = a;
        a = b;
        b = c;
        c = old;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *look(void *arg)
{
    while (1) {
#ifndef BROKEN
        pthread_mutex_lock(&lock);
#endif
        assert(a != b);
#ifndef BROKEN
        pthread_mutex_unlock(&lock);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    while (1)
        pthread_create(&thread, NULL, turn, NULL);
}
