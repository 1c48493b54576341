/* A ring for one producer and one consumer, in the manner of DPDK's rte_ring. The consumer loads the producer's index with a relaxed
 * load, so its reads of the slots may be older than the index. With -DFIXED the load acquires.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: UNSAFE
 * @expect riscv: UNSAFE
 * @expect ppc: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

#ifdef FIXED
#define INDEX memory_order_acquire
#else
#define INDEX memory_order_relaxed
#endif

static int slots[SIZE];
static atomic_uint produced, consumed;

static int enqueue(int value)
{
    unsigned at = atomic_load_explicit(&produced, memory_order_relaxed);
    unsigned gone = atomic_load_explicit(&consumed, memory_order_acquire);
    if (at - gone == SIZE)
        return 0;
    slots[at % SIZE] = value;
    atomic_store_explicit(&produced, at + 1, memory_order_release);
    return 1;
}

static int dequeue(int *value)
{
    unsigned at = atomic_load_explicit(&consumed, memory_order_relaxed);
    unsigned there = atomic_load_explicit(&produced, INDEX);
    if (at == there)
        return 0;
    *value = slots[at % SIZE];
    atomic_store_explicit(&consumed, at + 1, memory_order_release);
    return 1;
}

static void *producer(void *unused)
{
    enqueue(1);
    enqueue(2);
    return NULL;
}

static void *consumer(void *unused)
{
    int value = 0;
    if (dequeue(&value))
        assert(value == 1);
    if (dequeue(&value))
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
