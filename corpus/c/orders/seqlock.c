/* A sequence lock with one writer that writes twice and a reader that reads twice: who finds the same even number before and behind has
 * read two values that belong together. Every access and both fences are sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void write_both(int value)
{
    unsigned now = atomic_load_explicit(&sequence, memory_order_seq_cst);
    atomic_store_explicit(&sequence, now + 1, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&left, value, memory_order_seq_cst);
    atomic_store_explicit(&right, value, memory_order_seq_cst);
    atomic_store_explicit(&sequence, now + 2, memory_order_seq_cst);
}

static void read_both(void)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_seq_cst);
    int one = atomic_load_explicit(&left, memory_order_seq_cst);
    int two = atomic_load_explicit(&right, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    unsigned behind = atomic_load_explicit(&sequence, memory_order_seq_cst);
    if (before == behind && before % 2 == 0)
        assert(one == two);
}

static void *writer(void *unused)
{
    write_both(1);
    write_both(2);
    return NULL;
}

static void *reader(void *unused)
{
    read_both();
    read_both();
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
