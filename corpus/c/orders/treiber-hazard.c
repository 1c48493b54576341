/* Treiber's stack with hazard pointers (Michael 2004): two threads, each of which pushes a node and pops one. Who pops announces the node
 * that it looks at; who has popped a node clears it, as an allocator would, only if nobody else has announced it. Every access is
 * sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node nodes[2];
static _Atomic(struct node *) top;
static _Atomic(struct node *) hazard[2];

static void push(struct node *node, int value)
{
    node->value = value;
    struct node *first = atomic_load_explicit(&top, memory_order_seq_cst);
    do {
        atomic_store_explicit(&node->next, first, memory_order_seq_cst);
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_seq_cst, memory_order_seq_cst));
}

static void pop(int me)
{
    struct node *first;
    for (;;) {
        first = atomic_load_explicit(&top, memory_order_seq_cst);
        if (first == NULL)
            return;
        atomic_store_explicit(&hazard[me], first, memory_order_seq_cst);
        if (atomic_load_explicit(&top, memory_order_seq_cst) != first)
            continue;
        assert(first->value != 0);
        struct node *next = atomic_load_explicit(&first->next, memory_order_seq_cst);
        if (atomic_compare_exchange_strong_explicit(&top, &first, next, memory_order_seq_cst, memory_order_seq_cst))
            break;
    }
    atomic_store_explicit(&hazard[me], NULL, memory_order_seq_cst);
    if (atomic_load_explicit(&hazard[1 - me], memory_order_seq_cst) != first)
        first->value = 0;
}

static void *worker(void *which)
{
    int me = which != NULL;
    push(&nodes[me], me + 1);
    pop(me);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, &top);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
