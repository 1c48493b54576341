/* Treiber's stack: nodes from the heap, push and pop by compare-and-swap on the top. With relaxed atomics a node
 * may be seen before what is in it, except where a read-modify-write is a full fence (tso, pso).
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
    struct node *next;
};

_Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    struct node *old = atomic_load_explicit(&top, ACQUIRE);
    do {
        node->next = old;
    } while (!atomic_compare_exchange_strong_explicit(&top, &old, node, RELEASE, ACQUIRE));
}

static int pop(void)
{
    struct node *old = atomic_load_explicit(&top, ACQUIRE);
    while (old) {
        struct node *next = old->next;
        if (atomic_compare_exchange_strong_explicit(&top, &old, next, RELEASE, ACQUIRE))
            return old->value;
    }
    return 0;
}

static void *pusher(void *unused)
{
    push(1);
    push(2);
    return NULL;
}

static void *popper(void *unused)
{
    int got = pop();
    assert(got == 0 || got == 1 || got == 2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pusher, NULL);
    pthread_create(&b, NULL, popper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
