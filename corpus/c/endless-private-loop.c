/* Two threads that never end. The first one makes a variable of its own in each round and, as long as nobody else writes x,
 * does nothing that the other one could notice.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y;

static void *spin(void *unused)
{
    while (1) {
        int expected = 0;
        __atomic_compare_exchange_n(&x, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        if (expected == 1)
            y = 1;
        x = 0;
    }
    return unused;
}

static void *watch(void *unused)
{
    while (1) {
        int seen = y;
        assert(seen != 2);
        y = 0;
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, spin, NULL);
    pthread_create(&b, NULL, watch, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
