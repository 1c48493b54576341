/* The operations on atomics, one thread each: and, or, exclusive or, subtraction, exchange.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint bits = 12, number = 10;
unsigned old;

static void *one(void *unused)
{
    atomic_fetch_and(&bits, 10u);
    atomic_fetch_sub(&number, 3u);
    return NULL;
}

static void *two(void *unused)
{
    atomic_fetch_xor(&bits, 0u);
    old = atomic_exchange(&number, 20u);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&bits) == 8);
    assert((atomic_load(&number) == 20 && old == 7) || (atomic_load(&number) == 17 && old == 10));
    return 0;
}
