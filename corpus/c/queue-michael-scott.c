/* The queue of Michael and Scott: a list with a dummy node, enqueue at the tail with helping, dequeue at the head.
 * With a relaxed link a node may be seen before its value, except where a read-modify-write is a full fence.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: SAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

_Atomic(struct node *) head, tail;

static void enqueue(int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, ACQUIRE);
        struct node *next = atomic_load_explicit(&last->next, ACQUIRE);
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, RELEASE, ACQUIRE);
        } else if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, RELEASE, ACQUIRE)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, RELEASE, ACQUIRE);
            return;
        }
    }
}

static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, ACQUIRE);
        struct node *last = atomic_load_explicit(&tail, ACQUIRE);
        struct node *next = atomic_load_explicit(&first->next, ACQUIRE);
        if (!next)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, RELEASE, ACQUIRE);
        } else {
            int value = next->value;
            if (atomic_compare_exchange_strong_explicit(&head, &first, next, RELEASE, ACQUIRE))
                return value;
        }
    }
}

static void *producer(void *unused)
{
    enqueue(1);
    return NULL;
}

static void *consumer(void *unused)
{
    struct node *before = atomic_load(&head);
    int got = dequeue();
    struct node *after = atomic_load(&head);
    assert(before == after ? got == 0 : got == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct node *dummy = calloc(1, sizeof *dummy);
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
