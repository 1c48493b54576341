/* A sequence lock whose reader lacks the barrier between its data and its second look at the version: the second look may
 * happen first, and then says nothing about the data. With -DFIXED the barrier is there.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: UNSAFE
 * @expect riscv: UNSAFE
 * @expect ppc: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int version, left, right;

static void *writer(void *unused)
{
    atomic_store_explicit(&version, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    atomic_store_explicit(&version, 2, memory_order_release);
    return NULL;
}

static void *reader(void *unused)
{
    int before = atomic_load_explicit(&version, memory_order_acquire);
    int l = atomic_load_explicit(&left, memory_order_relaxed);
    int r = atomic_load_explicit(&right, memory_order_relaxed);
#ifdef FIXED
    atomic_thread_fence(memory_order_acquire);
#endif
    int after = atomic_load_explicit(&version, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(l == r);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
