/* A ring for one producer and one consumer, every access to the indices sequentially consistent. Each side needs to acquire what the other one releases, and nothing for its own index.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 1

static int slots[SIZE];
static atomic_uint produced, consumed;

static int put(int value)
{
    unsigned at = atomic_load_explicit(&produced, memory_order_seq_cst);
    if (at - atomic_load_explicit(&consumed, memory_order_seq_cst) == SIZE)
        return 0;
    slots[at % SIZE] = value;
    atomic_store_explicit(&produced, at + 1, memory_order_seq_cst);
    return 1;
}

static int take(int *value)
{
    unsigned at = atomic_load_explicit(&consumed, memory_order_seq_cst);
    if (at == atomic_load_explicit(&produced, memory_order_seq_cst))
        return 0;
    *value = slots[at % SIZE];
    atomic_store_explicit(&consumed, at + 1, memory_order_seq_cst);
    return 1;
}

static void *producer(void *unused)
{
    put(1);
    put(2);
    return NULL;
}

static void *consumer(void *unused)
{
    int value = 0;
    if (take(&value))
        assert(value == 1);
    if (take(&value))
        assert(value == 1 || value == 2);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, producer, NULL);
    pthread_create(&two, NULL, consumer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
