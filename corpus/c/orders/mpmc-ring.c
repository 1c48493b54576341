/* A ring for many producers and consumers in the manner of Vyukov: each slot has a number that says whose turn it is. One producer and one consumer with an operation each; every access to numbers and positions is sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

struct slot {
    atomic_uint turn;
    int value;
};

static struct slot slots[SIZE] = { { 0, 0 }, { 1, 0 } };
static atomic_uint head, tail;

static int put(int value)
{
    unsigned at = atomic_load_explicit(&tail, memory_order_seq_cst);
    struct slot *slot = &slots[at % SIZE];
    if (atomic_load_explicit(&slot->turn, memory_order_seq_cst) != at)
        return 0;
    if (!atomic_compare_exchange_strong_explicit(&tail, &at, at + 1, memory_order_seq_cst, memory_order_seq_cst))
        return 0;
    slot->value = value;
    atomic_store_explicit(&slot->turn, at + 1, memory_order_seq_cst);
    return 1;
}

static int take(int *value)
{
    unsigned at = atomic_load_explicit(&head, memory_order_seq_cst);
    struct slot *slot = &slots[at % SIZE];
    if (atomic_load_explicit(&slot->turn, memory_order_seq_cst) != at + 1)
        return 0;
    if (!atomic_compare_exchange_strong_explicit(&head, &at, at + 1, memory_order_seq_cst, memory_order_seq_cst))
        return 0;
    *value = slot->value;
    atomic_store_explicit(&slot->turn, at + SIZE, memory_order_seq_cst);
    return 1;
}

static void *producer(void *unused)
{
    put(1);
    return NULL;
}

static void *consumer(void *unused)
{
    int value = 0;
    if (take(&value))
        assert(value == 1);
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
