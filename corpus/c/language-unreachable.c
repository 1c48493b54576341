/* A place that is said to be unreachable: that it is reached is undefined, so it is a failure. With -DNEVER it is not reached.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power: UNSAFE
 * @expect -DNEVER sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power: SAFE
 */
#include <pthread.h>

int state;

static void *next(void *arg)
{
    state = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, next, 0);
    switch (state) {
    case 0:
#ifdef NEVER
    case 1:
#endif
        break;
    default:
        __builtin_unreachable();
    }
    pthread_join(thread, 0);
    return 0;
}
