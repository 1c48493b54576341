/* A lock by atomic_flag protects a counter; with relaxed orders it does so only where
 * writes stay in order.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define TAKE memory_order_relaxed
#define FREE memory_order_relaxed
#else
#define TAKE memory_order_seq_cst
#define FREE memory_order_seq_cst
#endif

atomic_flag lock = ATOMIC_FLAG_INIT;
int counter;

static void *count(void *unused)
{
    if (atomic_flag_test_and_set_explicit(&lock, TAKE))
        return NULL;
    int old = counter;
    counter = old + 1;
    assert(counter == old + 1);
    atomic_flag_clear_explicit(&lock, FREE);
    return (void *)1L;
}

int main(void)
{
    pthread_t a, b;
    void *one, *two;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, &one);
    pthread_join(b, &two);
    assert(counter == (long)one + (long)two);
    return 0;
}
