/* Peterson's algorithm. The writes of `wants` and `turn` may wait while the process looks at those of the other.
 * Unsafe in the first round, under TSO as under PSO.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
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
        turn = 1 - i;
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
