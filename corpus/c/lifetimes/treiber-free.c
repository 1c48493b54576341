/* Treiber's stack that frees what it pops. A thread that pops looks into the node that it has found, which another one may have popped
 * and freed. With -DHAZARD it announces the node first and looks again whether it is still the top; nobody frees a node that is announced.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DHAZARD sc: SAFE; tso: SAFE; pso: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static struct node *_Atomic top;
static struct node *_Atomic hazards[2];

static void pop(int me)
{
    struct node *old = atomic_load(&top);
#ifdef HAZARD
    atomic_store(&hazards[me], old);
    if (atomic_load(&top) != old)
        return;
#endif
    if (old == NULL)
        return;
    struct node *after = old->next;
    if (!atomic_compare_exchange_strong(&top, &old, after))
        return;
#ifdef HAZARD
    if (atomic_load(&hazards[1 - me]) == old)
        return;
#endif
    free(old);
}

static void *first(void *unused)
{
    (void)unused;
    pop(0);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    pop(1);
    return NULL;
}

int main(void)
{
    pthread_t one, other;
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b;
    b->next = NULL;
    atomic_init(&top, a);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&other, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
