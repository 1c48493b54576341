/* Burns's algorithm with three processes: who comes later gives way to all before.
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

int flag[3];

static void process(int i)
{
    int j;
    while (1) {
    again:
        flag[i] = 0;
        for (j = 0; j < i; j++)
            if (flag[j])
                goto again;
        flag[i] = 1;
        FENCED;
        for (j = 0; j < i; j++)
            if (flag[j])
                goto again;
        for (j = i + 1; j < 3; j++)
            while (flag[j])
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

static void *third(void *arg)
{
    process(2);
    return arg;
}

int main(void)
{
    pthread_t one, two, three;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_create(&three, NULL, third, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return 0;
}
