/* Treiber's stack with two poppers of one value: only one of them gets it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
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

int first, second;

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

static void *one(void *unused)
{
    first = pop();
    return NULL;
}

static void *two(void *unused)
{
    second = pop();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    push(1);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first + second == 1);
    return 0;
}
