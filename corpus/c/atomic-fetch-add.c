/* Two relaxed atomic additions: nothing is ordered by them, and yet no update is lost.
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

atomic_int x;

static void *one(void *unused)
{
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *two(void *unused)
{
    atomic_fetch_add_explicit(&x, 2, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&x) == 3);
    return 0;
}
