/* A ticket lock around a counter. The release must not overtake the section's writes, nor the section the wait:
 * with relaxed atomics both happen where the model reorders writes.
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
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#endif

atomic_uint next_ticket, now_serving;
int counter;

static void *worker(void *arg)
{
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load_explicit(&now_serving, ACQUIRE) != mine)
        ;
    counter = counter + 1;
    atomic_store_explicit(&now_serving, mine + 1, RELEASE);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
