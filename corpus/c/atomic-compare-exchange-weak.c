/* Weak compare-exchange in a loop counts right. Tried once, it may fail although the value was the expected one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE (unwind 4)
 * @expect alpha: SAFE (unwind 4)
 * @expect power-frame: SAFE (unwind 4)
 * @expect -DONCE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @options --unwind 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

static void *count(void *unused)
{
    int old = atomic_load(&counter);
#ifdef ONCE
    old = 0;
    assert(atomic_compare_exchange_weak(&counter, &old, 1) || old != 0);
#else
    while (!atomic_compare_exchange_weak(&counter, &old, old + 1))
        ;
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifndef ONCE
    assert(atomic_load(&counter) == 2);
#endif
    return 0;
}
