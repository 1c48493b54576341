/* Two wheels for each bicycle, without bound: what is known is twice one number minus the other.
 * @expect sc: SAFE (no overflow)
 * @expect tso: SAFE (no overflow)
 * @expect pso: SAFE (no overflow)
 * @options --engine predicate
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int bicycles, wheels;

static void *builds(void *arg)
{
    while (1) {
        __VERIFIER_atomic_begin();
        bicycles = bicycles + 1;
        wheels = wheels + 2;
        __VERIFIER_atomic_end();
    }
    return arg;
}

static void *counts(void *arg)
{
    while (1) {
        int one, other;
        __VERIFIER_atomic_begin();
        one = bicycles;
        other = wheels;
        __VERIFIER_atomic_end();
        assert(2 * one == other);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, builds, NULL);
    pthread_create(&second, NULL, counts, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
