/* The queue lock of Craig, Landin and Hagersten around a counter, two threads that lock twice, every access sequentially consistent: each
 * thread waits for the node of the one before it, and takes that node for its next turn.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    atomic_int taken;
};

static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2];
static int count;

static struct node *lock(struct node *me)
{
    atomic_store_explicit(&me->taken, 1, memory_order_seq_cst);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_seq_cst);
    while (atomic_load_explicit(&before->taken, memory_order_seq_cst))
        ;
    return before;
}

static void unlock(struct node *me)
{
    atomic_store_explicit(&me->taken, 0, memory_order_seq_cst);
}

static void *worker(void *node)
{
    struct node *me = node;
    for (int i = 0; i < 2; i++) {
        struct node *before = lock(me);
        count++;
        unlock(me);
        me = before;
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
