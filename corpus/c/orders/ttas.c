/* A test-and-test-and-set lock around a counter, every access sequentially consistent. An exchange that acquires and a store that releases are enough; the load that waits may be relaxed.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int count;

static void lock(void)
{
    do {
        while (atomic_load_explicit(&taken, memory_order_seq_cst))
            ;
    } while (atomic_exchange_explicit(&taken, 1, memory_order_seq_cst));
}

static void unlock(void)
{
    atomic_store_explicit(&taken, 0, memory_order_seq_cst);
}

static void *worker(void *unused)
{
    for (int i = 0; i < 2; i++) {
        lock();
        count++;
        unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(count == 4);
    return 0;
}
