/* @no-expect run by `weaken.rs`: The queue lock of Mellor-Crummey and Scott around a counter, every access sequentially consistent. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int waiting;
};

static _Atomic(struct node *) tail;
static struct node nodes[2];
static int count;

static void lock(struct node *me)
{
    atomic_store_explicit(&me->next, NULL, memory_order_seq_cst);
    atomic_store_explicit(&me->waiting, 1, memory_order_seq_cst);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_seq_cst);
    if (before != NULL) {
        atomic_store_explicit(&before->next, me, memory_order_seq_cst);
        while (atomic_load_explicit(&me->waiting, memory_order_seq_cst))
            ;
    }
}

static void unlock(struct node *me)
{
    struct node *next = atomic_load_explicit(&me->next, memory_order_seq_cst);
    if (next == NULL) {
        struct node *expected = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_seq_cst, memory_order_seq_cst))
            return;
        while ((next = atomic_load_explicit(&me->next, memory_order_seq_cst)) == NULL)
            ;
    }
    atomic_store_explicit(&next->waiting, 0, memory_order_seq_cst);
}

static void *worker(void *node)
{
    for (int i = 0; i < 2; i++) {
        lock(node);
        count++;
        unlock(node);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &nodes[0]);
    pthread_create(&two, NULL, worker, &nodes[1]);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(count == 4);
    return 0;
}
