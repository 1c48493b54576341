/* Treiber's stack with nodes that are used again: a popper sleeps between reading and swapping, meanwhile two
 * nodes are popped and the first is pushed again. Its swap succeeds and puts back a node that somebody owns: wrong
 * everywhere.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
};

struct node lower, upper;
_Atomic(struct node *) top;

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    while (old) {
        struct node *next = atomic_load(&old->next);
        if (atomic_compare_exchange_strong(&top, &old, next))
            return old;
    }
    return NULL;
}

static void push(struct node *node)
{
    struct node *old = atomic_load(&top);
    do {
        atomic_store(&node->next, old);
    } while (!atomic_compare_exchange_strong(&top, &old, node));
}

struct node *kept;

static void *sleeper(void *unused)
{
    pop();
    return NULL;
}

static void *recycler(void *unused)
{
    struct node *first = pop();
    kept = pop();
    if (first)
        push(first);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    atomic_store(&lower.next, NULL);
    atomic_store(&upper.next, &lower);
    atomic_store(&top, &upper);
    pthread_create(&a, NULL, sleeper, NULL);
    pthread_create(&b, NULL, recycler, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!kept || atomic_load(&top) != kept);
    return 0;
}
