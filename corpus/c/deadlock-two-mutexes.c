/* Two mutexes taken in opposite orders: each thread can hold one and wait for the other. With one order for all it
 * cannot happen.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DORDERED sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @options --property deadlock
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *one(void *unused)
{
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    counter++;
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return NULL;
}

static void *two(void *unused)
{
#ifdef ORDERED
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
#else
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
#endif
    counter++;
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
