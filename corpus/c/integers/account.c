/* Money goes from one account to the other, without bound: what is known is the sum of both.
 * @expect sc: SAFE (no overflow)
 * @expect tso: SAFE (no overflow)
 * @expect pso: SAFE (no overflow)
 * @options --engine predicate
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int mine, yours;

static void *transfer(void *arg)
{
    while (1) {
        __VERIFIER_atomic_begin();
        mine = mine + 1;
        yours = yours - 1;
        __VERIFIER_atomic_end();
    }
    return arg;
}

static void *audit(void *arg)
{
    while (1) {
        int one, other;
        __VERIFIER_atomic_begin();
        one = mine;
        other = yours;
        __VERIFIER_atomic_end();
        assert(one + other == 0);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, transfer, NULL);
    pthread_create(&second, NULL, audit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
