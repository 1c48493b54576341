/* Peterson's algorithm. TSO keeps the two writes in order, so that one fence behind both is enough there.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
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

int wants[2];
int turn;

static void process(int i)
{
    while (1) {
        wants[i] = 1;
        turn = 1 - i;
        FENCED;
        while (wants[1 - i] && turn == 1 - i)
            ;
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        wants[i] = 0;
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
