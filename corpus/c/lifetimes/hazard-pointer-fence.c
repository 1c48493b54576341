/* A hazard pointer protects a node: the reader announces which node it uses and looks again whether it is still in place; the owner
 * takes the node away, and frees it only if nobody has announced it. Announcing and looking are a store and a load: without a
 * fence between them the store is delayed, and the owner sees nothing. With -DFIXED there is one. (On Arm a release is
 * never overtaken by a later acquire.)
 * @expect sc: SAFE; tso: UNSAFE; pso: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect aarch64: SAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic shared;
static int *_Atomic hazard;

static void *reader(void *unused)
{
    (void)unused;
    int *own = atomic_load_explicit(&shared, memory_order_acquire);
    atomic_store_explicit(&hazard, own, memory_order_release);
#ifdef FIXED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (own != NULL && atomic_load_explicit(&shared, memory_order_acquire) == own)
        (void)*(volatile int *)own;
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return NULL;
}

static void *owner(void *unused)
{
    (void)unused;
    int *own = atomic_exchange_explicit(&shared, NULL, memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&hazard, memory_order_acquire) != own)
        free(own);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int *node = malloc(sizeof *node);
    *node = 1;
    atomic_init(&shared, node);
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, owner, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
