/* Dijkstra's algorithm. Which flag is looked at depends on `turn`.
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
int turn;

static void process(int i)
{
    while (1) {
    again:
        flag[i] = 1;
        while (turn != i) {
            if (flag[turn] == 0)
                turn = i;
        }
        flag[i] = 2;
        FENCED;
        if (flag[1 - i] == 2)
            goto again;
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
