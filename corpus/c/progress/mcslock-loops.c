/* The queue lock of DPDK (rte_mcslock) as it was before its fix of 2020. A thread that finds the lock taken links its node behind the one
 * before it with a relaxed store. On Arm that store may become visible before the thread has marked its own node as
 * waiting: the exchange is a pair of exclusives, and what follows waits for its load only. The one before then grants the lock, the mark
 * comes later and overwrites the grant, and the thread waits for ever. With -DFIXED the store is a release.
 * An exchange with acquire and release orders its surroundings on RISC-V, where it is one operation, and on Power, where it begins with
 * a fence.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: UNSAFE
 * @expect riscv: SAFE
 * @expect ppc: SAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 * @options --property progress
 */
#include <pthread.h>
#include <stddef.h>

#ifdef FIXED
#define LINK __ATOMIC_RELEASE
#else
#define LINK __ATOMIC_RELAXED
#endif

struct node {
    struct node *next;
    int waiting;
};

static struct node *last;
static struct node nodes[2];

static void lock(struct node *own)
{
    __atomic_store_n(&own->waiting, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&own->next, NULL, __ATOMIC_RELAXED);
    struct node *before = __atomic_exchange_n(&last, own, __ATOMIC_ACQ_REL);
    if (before == NULL)
        return;
    __atomic_store_n(&before->next, own, LINK);
    while (__atomic_load_n(&own->waiting, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(struct node *own)
{
    if (__atomic_load_n(&own->next, __ATOMIC_RELAXED) == NULL) {
        struct node *expected = own;
        if (__atomic_compare_exchange_n(&last, &expected, NULL, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
        while (__atomic_load_n(&own->next, __ATOMIC_RELAXED) == NULL)
            ;
    }
    struct node *next = __atomic_load_n(&own->next, __ATOMIC_RELAXED);
    __atomic_store_n(&next->waiting, 0, __ATOMIC_RELEASE);
}

static void *worker(void *own)
{
    lock(own);
    unlock(own);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, &nodes[0]);
    pthread_create(&second, NULL, worker, &nodes[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
