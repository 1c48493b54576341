/* A sequence lock of C11 atomics and fences, the data relaxed. The release fence after the first write of the
 * version and the acquire fence before the second read are what counts; this model of power does not let them
 * meet.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int version;
atomic_int left, right;

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
    int a = atomic_load_explicit(&left, memory_order_relaxed);
    int b = atomic_load_explicit(&right, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    int after = atomic_load_explicit(&version, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(a == b);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
