/* Lamport's fast mutual exclusion with the first of the three fences that it needs: x is written before y is read.
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
