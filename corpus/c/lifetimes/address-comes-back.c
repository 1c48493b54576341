/* A taker looks at a block, and at the number that goes with it, and takes the block if the slot still has its address. A renewer has meanwhile freed the block and put a
 * new one there, at the same address: the compare-and-swap succeeds, and the number is that of the old block (ABA). No freed memory is
 * used. With -DHAZARD the taker says which block it looks at, and the renewer does not free that one; with -DKEPT nothing is freed.
 * @expect sc: UNSAFE; tso: UNSAFE; rc11: UNSAFE
 * @expect -DHAZARD sc: SAFE; rc11: SAFE
 * @expect -DKEPT sc: SAFE; rc11: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
    int number;
};

static _Atomic(struct block *) slot;
static _Atomic(struct block *) hazard;
static atomic_int number;

static void give_back(struct block *block)
{
#if defined(HAZARD)
    if (atomic_load(&hazard) != block)
        free(block);
#elif !defined(KEPT)
    free(block);
#else
    (void)block;
#endif
}

static void *taker(void *unused)
{
    (void)unused;
    struct block *seen = atomic_load(&slot);
    if (seen == 0)
        return 0;
#ifdef HAZARD
    atomic_store(&hazard, seen);
    if (atomic_load(&slot) != seen)
        return 0;
#endif
    int its = atomic_load(&number);
    struct block *expected = seen;
    if (atomic_compare_exchange_strong(&slot, &expected, 0))
        assert(seen->number == its);
    return 0;
}

static void *renewer(void *unused)
{
    (void)unused;
    struct block *old = atomic_exchange(&slot, 0);
    if (old == 0)
        return 0;
    give_back(old);
    struct block *new = malloc(sizeof(struct block));
    new->number = 2;
    atomic_store(&number, 2);
    atomic_store(&slot, new);
    return 0;
}

int main(void)
{
    pthread_t one, other;
    struct block *first = malloc(sizeof(struct block));
    first->number = 1;
    atomic_init(&number, 1);
    atomic_init(&slot, first);
    pthread_create(&one, 0, taker, 0);
    pthread_create(&other, 0, renewer, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
