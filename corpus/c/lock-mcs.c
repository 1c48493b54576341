/* The lock of Mellor-Crummey and Scott: a queue of waiting threads, each of which spins on its own node. With
 * relaxed hand-over the counter's write may come out after it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int waiting;
};

struct node nodes[2];
_Atomic(struct node *) tail;
int counter;

static void *worker(void *arg)
{
    struct node *me = arg;
    atomic_store(&me->next, NULL);
    atomic_store(&me->waiting, 1);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&before->next, me);
        while (atomic_load_explicit(&me->waiting, ACQUIRE))
            ;
    }
    counter = counter + 1;
    struct node *expected = me;
    if (!atomic_load(&me->next) && atomic_compare_exchange_strong(&tail, &expected, NULL))
        return NULL;
    struct node *after;
    while (!(after = atomic_load(&me->next)))
        ;
    atomic_store_explicit(&after->waiting, 0, RELEASE);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &nodes[0]);
    pthread_create(&b, NULL, worker, &nodes[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
