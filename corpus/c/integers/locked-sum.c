/* Two numbers whose sum is zero, behind a lock that is given back by a plain store: the sum is in the store buffer for a while.
 * @expect sc: SAFE (no overflow)
 * @expect tso: SAFE (no overflow)
 * @expect pso: UNSAFE
 * @options --engine predicate
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int lock;
int up, down;

static void *changes(void *arg)
{
    while (1) {
        int one, other;
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_SEQ_CST))
            ;
        one = up;
        other = down;
        assert(one + other == 0);
        up = one + 1;
        down = other - 1;
        lock = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, changes, NULL);
    pthread_create(&second, NULL, changes, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
