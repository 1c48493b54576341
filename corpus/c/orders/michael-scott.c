/* The queue of Michael and Scott, one thread that enqueues and one that dequeues; every access to its pointers is sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy, fresh;
static _Atomic(struct node *) head = &dummy;
static _Atomic(struct node *) tail = &dummy;

static void enqueue(struct node *node, int value)
{
    node->value = value;
    atomic_store_explicit(&node->next, NULL, memory_order_seq_cst);
    struct node *last = atomic_load_explicit(&tail, memory_order_seq_cst);
    struct node *none = NULL;
    if (atomic_compare_exchange_strong_explicit(&last->next, &none, node, memory_order_seq_cst, memory_order_seq_cst))
        atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_seq_cst, memory_order_seq_cst);
}

static int dequeue(int *value)
{
    struct node *first = atomic_load_explicit(&head, memory_order_seq_cst);
    struct node *next = atomic_load_explicit(&first->next, memory_order_seq_cst);
    if (next == NULL)
        return 0;
    *value = next->value;
    return atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_seq_cst, memory_order_seq_cst);
}

static void *producer(void *unused)
{
    enqueue(&fresh, 1);
    return NULL;
}

static void *consumer(void *unused)
{
    int value = 0;
    if (dequeue(&value))
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
