/* Any number of threads that take a spin lock again and again. BROKEN looks first and takes it later.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 */
#include <fencepost.h>
#include <pthread.h>

int taken;

static void *work(void *arg)
{
    while (1) {
#ifdef BROKEN
        while (taken)
            ;
        taken = 1;
#else
        while (!__sync_bool_compare_and_swap(&taken, 0, 1))
            ;
#endif
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        __sync_lock_release(&taken);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
