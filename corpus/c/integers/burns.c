/* Burns's algorithm: the second process gives way. Its flag and that of the first may still be in buffers when both look.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE
 * @options --engine predicate
 */
#include <fencepost.h>
#include <pthread.h>

#ifdef FENCE
#define FENCED __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCED ((void)0)
#endif

int flag[2];

static void process(int i)
{
    while (1) {
    again:
        flag[i] = 0;
        if (i == 1 && flag[0])
            goto again;
        flag[i] = 1;
        FENCED;
        if (i == 1 && flag[0])
            goto again;
        while (i == 0 && flag[1])
            ;
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        flag[i] = 0;
    }
}

static void *first(void *arg)
{
    process(0);
    return arg;
}

static void *second(void *arg)
{
    process(1);
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&other, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
