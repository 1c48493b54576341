/* Lamport's fast mutual exclusion with three fences. The first two are needed under TSO and PSO, and without one of
 * them the first round is unsafe. The third one is needed under PSO only, from the second round on.
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

int b[3];
int x, y;

static void process(int i)
{
    LOOP {
        int seen;
    start:
        b[i] = 1;
        x = i;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        seen = y;
        if (seen != 0) {
            b[i] = 0;
            while (seen != 0)
                seen = y;
            goto start;
        }
        y = i;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (x != i) {
            b[i] = 0;
            while (b[3 - i] != 0)
                ;
            seen = y;
            if (seen != i) {
                while (seen != 0)
                    seen = y;
                goto start;
            }
        }
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        y = 0;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        b[i] = 0;
    }
}

static void *first(void *arg)
{
    process(1);
    return arg;
}

static void *second(void *arg)
{
    process(2);
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
