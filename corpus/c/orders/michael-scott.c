/* The queue of Michael and Scott: two threads, each of which enqueues a value and dequeues one. What comes out was put in, complete, and
 * nothing comes out twice. Every access to the pointers is sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy, nodes[2];
static _Atomic(struct node *) head = &dummy;
static _Atomic(struct node *) tail = &dummy;
static int got[2];

static void enqueue(struct node *node, int value)
{
    node->value = value;
    atomic_store_explicit(&node->next, NULL, memory_order_seq_cst);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_seq_cst);
        struct node *next = atomic_load_explicit(&last->next, memory_order_seq_cst);
        if (next != NULL) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_seq_cst, memory_order_seq_cst);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_seq_cst, memory_order_seq_cst)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_seq_cst, memory_order_seq_cst);
            return;
        }
    }
}

static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_seq_cst);
        struct node *last = atomic_load_explicit(&tail, memory_order_seq_cst);
        struct node *next = atomic_load_explicit(&first->next, memory_order_seq_cst);
        if (first == last) {
            if (next == NULL)
                return 0;
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_seq_cst, memory_order_seq_cst);
            continue;
        }
        if (next == NULL)
            continue;
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_seq_cst, memory_order_seq_cst))
            return value;
    }
}

static void *worker(void *which)
{
    int me = which != NULL;
    enqueue(&nodes[me], me + 1);
    got[me] = dequeue();
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, &dummy);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(got[0] + got[1] == 3 && got[0] != got[1]);
    return 0;
}
