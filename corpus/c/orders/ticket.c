/* A ticket lock around a counter, every access sequentially consistent. Taking a ticket may be relaxed, waiting has to acquire, and passing on has to release.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int count;

static void lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&serving, memory_order_seq_cst) != mine)
        ;
}

static void unlock(void)
{
    unsigned now = atomic_load_explicit(&serving, memory_order_seq_cst);
    atomic_store_explicit(&serving, now + 1, memory_order_seq_cst);
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
