/* Two threads that wait for each other's flag before raising their own. A loop that is written as await_while is a
 * wait like that for a mutex.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFIRST sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @options --property deadlock
 */
#include <assert.h>
#include <pthread.h>

#ifdef __FENCEPOST__
#include <fencepost.h>
#else
#define await_while(condition) \
    while (condition)          \
        ;
#endif

int left_ready, right_ready;

static void *left(void *unused)
{
#ifdef FIRST
    left_ready = 1;
#endif
    await_while(!right_ready);
    left_ready = 1;
    return NULL;
}

static void *right(void *unused)
{
    await_while(!left_ready);
    right_ready = 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
