/* What `main` chooses before there are threads: a limit, a step and where to begin. Where it cannot do what it wants it
 * starts nobody. The counter goes up to the limit under a lock that is given back by a plain store, which comes too early under PSO.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect -DFENCE pso: SAFE
 * @options --engine predicate
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

#ifdef FENCE
#define FENCE_HERE() __sync_synchronize()
#else
#define FENCE_HERE()
#endif

int limit, begin, lock, count;

static void *counts(void *arg)
{
    while (1) {
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_SEQ_CST))
            ;
        if (count < limit)
            count = count + 1;
        assert(begin <= count && count <= limit);
        FENCE_HERE();
        lock = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    limit = __VERIFIER_nondet_int();
    begin = __VERIFIER_nondet_int();
    if (begin > limit)
        return 0;
    count = begin;
    pthread_create(&first, NULL, counts, NULL);
    pthread_create(&second, NULL, counts, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
