/* A test-and-set lock with acquire and release around a counter. It protects the counter everywhere but on this
 * model of power, whose lwsync passes no messages (SOUNDNESS.md); with sequentially consistent atomics also there.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE (unwind 4)
 * @expect alpha: SAFE (unwind 4)
 * @expect power-frame: UNSAFE
 * @expect -DSEQ_CST sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE (unwind 4); alpha: SAFE (unwind 4); power-frame: SAFE (unwind 4)
 * @options --unwind 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef SEQ_CST
#define ACQUIRE memory_order_seq_cst
#define RELEASE memory_order_seq_cst
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif

atomic_int lock;
int counter;

static void *worker(void *arg)
{
    while (atomic_exchange_explicit(&lock, 1, ACQUIRE))
        ;
    counter = counter + 1;
    atomic_store_explicit(&lock, 0, RELEASE);
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
