/* Peterson's filter with three processes: two levels, on each of which somebody is held back.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: UNSAFE
 * @options --engine predicate
 */
#include <fencepost.h>
#include <pthread.h>

#ifdef FENCE
#define FENCED __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCED ((void)0)
#endif

int level[3];
int last[3];

static void process(int i)
{
    int l, j;
    while (1) {
        for (l = 1; l < 3; l++) {
            level[i] = l;
            last[l] = i;
            FENCED;
            for (j = 0; j < 3; j++)
                while (j != i && level[j] >= l && last[l] == i)
                    ;
        }
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        level[i] = 0;
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
