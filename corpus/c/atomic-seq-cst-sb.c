/* Store buffering with sequentially consistent atomics: as if threads took turns.
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

atomic_int x, y;
int r0, r1;

static void *left(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    r0 = atomic_load_explicit(&y, memory_order_seq_cst);
    return NULL;
}

static void *right(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    r1 = atomic_load_explicit(&x, memory_order_seq_cst);
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
