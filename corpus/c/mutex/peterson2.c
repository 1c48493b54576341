/* Peterson's algorithm with a fence behind both writes of the entry. Under PSO both are needed, since `turn` must not
 * come out before `wants`. TSO keeps the two in order: there the second one is enough.
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
        turn = 1 - i;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
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
