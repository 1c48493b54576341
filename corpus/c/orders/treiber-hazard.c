/* Treiber's stack with a hazard pointer: the popping thread announces the node that it looks at, the other one frees a node (here: clears it) only if nobody has announced it. Every access is sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

static struct node below = { NULL, 1 }, above = { &below, 1 };
static _Atomic(struct node *) top = &above;
static _Atomic(struct node *) hazard;

static void *reader(void *unused)
{
    struct node *seen = atomic_load_explicit(&top, memory_order_seq_cst);
    atomic_store_explicit(&hazard, seen, memory_order_seq_cst);
    if (atomic_load_explicit(&top, memory_order_seq_cst) == seen && seen != NULL)
        assert(seen->value == 1);
    atomic_store_explicit(&hazard, NULL, memory_order_seq_cst);
    return NULL;
}

static void *popper(void *unused)
{
    struct node *first = atomic_load_explicit(&top, memory_order_seq_cst);
    struct node *next = first->next;
    if (atomic_compare_exchange_strong_explicit(&top, &first, next, memory_order_seq_cst, memory_order_seq_cst)) {
        if (atomic_load_explicit(&hazard, memory_order_seq_cst) != first)
            first->value = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, popper, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
