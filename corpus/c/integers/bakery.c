/* Lamport's bakery. Tickets grow without bound: no finite set of values is enough.
 * @expect sc: SAFE (no overflow)
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect -DFENCE sc: SAFE (no overflow); tso: SAFE (no overflow); pso: SAFE (no overflow)
 * @options --engine predicate
 */
#include <fencepost.h>
#include <pthread.h>

#ifdef FENCE
#define FENCED __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCED ((void)0)
#endif

int choosing[2];
int number[2];

static void process(int i)
{
    while (1) {
        int own, other;
        choosing[i] = 1;
        FENCED;
        own = number[1 - i] + 1;
        number[i] = own;
        FENCED;
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
