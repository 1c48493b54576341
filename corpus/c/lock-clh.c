/* The lock of Craig, Landin and Hagersten: each thread spins on the node of the one before it. With a relaxed
 * release the counter's write may come out after it.
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
    atomic_int held;
};

struct node nodes[2];
struct node free_node;
_Atomic(struct node *) tail = &free_node;
int counter;

static void *worker(void *arg)
{
    struct node *me = arg;
    atomic_store(&me->held, 1);
    struct node *before = atomic_exchange(&tail, me);
    while (atomic_load_explicit(&before->held, ACQUIRE))
        ;
    counter = counter + 1;
    atomic_store_explicit(&me->held, 0, RELEASE);
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
