/* Dekker's algorithm. Who gives way begins anew, so that one place asks for a fence.
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

int wants[2];
int turn;

static void process(int i)
{
    while (1) {
    again:
        wants[i] = 1;
        FENCED;
        while (wants[1 - i]) {
            if (turn != i) {
                wants[i] = 0;
                while (turn != i)
                    ;
                goto again;
            }
        }
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        turn = 1 - i;
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
