/* Dekker's algorithm with a fence behind each write that says that a process wants in. Both are needed: the one
 * behind the second write from the second round on.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @options --engine coherence
 */
#include <fencepost.h>
#include <pthread.h>

#ifdef ROUNDS
#define LOOP for (int round = 0; round < ROUNDS; round++)
#else
#define LOOP while (1)
#endif

int wants[2];
int turn;

static void process(int i)
{
    LOOP {
        wants[i] = 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        while (wants[1 - i]) {
            if (turn != i) {
                wants[i] = 0;
                while (turn != i)
                    ;
                wants[i] = 1;
                __atomic_thread_fence(__ATOMIC_SEQ_CST);
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
