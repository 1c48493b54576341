/* Message passing with atomic objects: release and acquire carry a message on all models but power (see
 * SOUNDNESS.md), relaxed accesses only where the machine keeps the order anyway.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DSEQ sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined SEQ
#define PUT memory_order_seq_cst
#define GET memory_order_seq_cst
#elif defined RELAXED
#define PUT memory_order_relaxed
#define GET memory_order_relaxed
#else
#define PUT memory_order_release
#define GET memory_order_acquire
#endif

atomic_int flag;
int data;

static void *sender(void *unused)
{
    data = 42;
    atomic_store_explicit(&flag, 1, PUT);
    return NULL;
}

static void *receiver(void *unused)
{
    if (atomic_load_explicit(&flag, GET))
        assert(data == 42);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
