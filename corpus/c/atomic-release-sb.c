/* Store buffering with release stores and acquire loads: they do not order a write and a later read.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r0, r1;

static void *left(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    r0 = atomic_load_explicit(&y, memory_order_acquire);
    return NULL;
}

static void *right(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    r1 = atomic_load_explicit(&x, memory_order_acquire);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
