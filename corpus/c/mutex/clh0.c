/* The lock of Craig, Landin and Hagersten: a queue in which each process waits for the one before it. No fence is
 * needed under TSO and PSO, since the exchange waits until all earlier writes of the process are in memory.
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

/* The nodes of the queue; the last one is nobody's at first. */
int locked[3];
int tail = 2;

static void process(int i)
{
    int own = i;
    LOOP {
        int before;
        locked[own] = 1;
        before = __atomic_exchange_n(&tail, own, __ATOMIC_SEQ_CST);
        while (locked[before])
            ;
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        locked[own] = 0;
        own = before;
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
