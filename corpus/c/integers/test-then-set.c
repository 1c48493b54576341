/* A lock that looks first and takes it afterwards: wrong under every model, and no fence mends it.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect -DFENCE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 * @options --engine predicate
 */
#include <fencepost.h>
#include <pthread.h>

#ifdef FENCE
#define FENCED __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCED ((void)0)
#endif

int taken;

static void *process(void *arg)
{
    while (1) {
        while (taken)
            ;
        taken = 1;
        FENCED;
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        taken = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, process, NULL);
    pthread_create(&other, NULL, process, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
