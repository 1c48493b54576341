/* What is in stock is what came less what went, all without bound.
 * @expect sc: SAFE (no overflow)
 * @expect tso: SAFE (no overflow)
 * @expect pso: SAFE (no overflow)
 * @options --engine predicate
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int came, went, stock;

static void *buys(void *arg)
{
    while (1) {
        __VERIFIER_atomic_begin();
        came = came + 1;
        stock = stock + 1;
        assert(stock == came - went);
        __VERIFIER_atomic_end();
    }
    return arg;
}

static void *sells(void *arg)
{
    while (1) {
        __VERIFIER_atomic_begin();
        if (stock > 0) {
            stock = stock - 1;
            went = went + 1;
        }
        assert(stock == came - went);
        __VERIFIER_atomic_end();
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, buys, NULL);
    pthread_create(&second, NULL, sells, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
