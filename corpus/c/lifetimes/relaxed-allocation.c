/* A thread allocates a block and publishes its address; another one writes the block. The address is read with memory_order_relaxed, so in C11 the
 * allocation does not happen before the write, though no other access races with it. Machines know no such thing. With
 * -DORDER=memory_order_acquire it does, and so it does with -DFENCE. With -DSTACK the object is a variable.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE; rc11: UNSAFE
 * @expect -DSTACK sc: SAFE; rc11: UNSAFE
 * @expect -DORDER=memory_order_acquire sc: SAFE; tso: SAFE; aarch64: SAFE; rc11: SAFE
 * @expect -DORDER=memory_order_acquire -DSTACK sc: SAFE; rc11: SAFE
 * @expect -DFENCE sc: SAFE; rc11: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static int *_Atomic slot;
static atomic_int done;

static void *allocates(void *unused)
{
    (void)unused;
#ifdef STACK
    int variable;
    atomic_store_explicit(&slot, &variable, memory_order_release);
    while (!atomic_load(&done))
        ;
#else
    atomic_store_explicit(&slot, malloc(sizeof(int)), memory_order_release);
#endif
    return NULL;
}

static void *writes(void *unused)
{
    (void)unused;
    int *block = atomic_load_explicit(&slot, ORDER);
#ifdef FENCE
    atomic_thread_fence(memory_order_acquire);
#endif
    if (block != NULL)
        *block = 1;
    atomic_store(&done, 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, allocates, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
