/* A stack of numbers by a weak compare-exchange in a loop; what was expected is updated where it fails.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect --unwind 8 rmo: SAFE (unwind 8)
 * @expect --unwind 8 alpha: SAFE (unwind 8)
 * @expect --unwind 8 power-frame: SAFE (unwind 8)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_long total;

static void *add(void *arg)
{
    long old = atomic_load(&total);
    while (!atomic_compare_exchange_weak(&total, &old, old + (long)arg))
        ;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    long expected = 7;
    pthread_create(&a, NULL, add, (void *)1L);
    pthread_create(&b, NULL, add, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 3);
    assert(!atomic_compare_exchange_strong(&total, &expected, 9) && expected == 3);
    assert(atomic_compare_exchange_strong(&total, &expected, 9) && total == 9);
    assert(atomic_exchange(&total, 4) == 9 && atomic_fetch_sub(&total, 1) == 4 && atomic_fetch_and(&total, 2) == 3);
    return 0;
}
