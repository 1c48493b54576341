/* Lamport's bakery, for two processes, with fences behind the writes that begin choosing and that take a ticket. Both
 * are needed, under TSO as under PSO. That the end of choosing comes out late only makes others wait.
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

#define MAX 2

int choosing[2];
int number[2];

static void process(int i)
{
    LOOP {
        int own, other;
    again:
        choosing[i] = 1;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        other = number[1 - i];
        if (other >= MAX) {
            choosing[i] = 0;
            goto again;
        }
        own = other + 1;
        number[i] = own;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        choosing[i] = 0;
        while (choosing[1 - i])
            ;
        do {
            other = number[1 - i];
        } while (other != 0 && (other < own || (other == own && i == 1)));
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        number[i] = 0;
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
