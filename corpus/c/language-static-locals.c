/* A static variable of a function is shared by all threads that call it.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DLOCKED sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int given[2];

static int next_number(void)
{
    static int last;
    last++;
    return last;
}

static void *take(void *arg)
{
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    given[(long)arg] = next_number();
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, take, (void *)0L);
    pthread_create(&b, NULL, take, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(given[0] != given[1]);
    return 0;
}
