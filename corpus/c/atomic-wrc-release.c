/* Write-to-read causality by release and acquire through three threads. As with message passing, only this model
 * of power lets it fail.
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

int data;
atomic_int first, second;

static void *one(void *unused)
{
    data = 1;
    atomic_store_explicit(&first, 1, memory_order_release);
    return NULL;
}

static void *two(void *unused)
{
    if (atomic_load_explicit(&first, memory_order_acquire))
        atomic_store_explicit(&second, 1, memory_order_release);
    return NULL;
}

static void *three(void *unused)
{
    if (atomic_load_explicit(&second, memory_order_acquire))
        assert(data == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_create(&c, NULL, three, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
