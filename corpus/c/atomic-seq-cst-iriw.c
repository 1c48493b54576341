/* Independent reads of independent writes, sequentially consistent: the readers agree.
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
int r0, r1, r2, r3;

static void *write_x(void *unused)
{
    atomic_store(&x, 1);
    return NULL;
}

static void *write_y(void *unused)
{
    atomic_store(&y, 1);
    return NULL;
}

static void *read_xy(void *unused)
{
    r0 = atomic_load_explicit(&x, memory_order_seq_cst);
    r1 = atomic_load_explicit(&y, memory_order_seq_cst);
    return NULL;
}

static void *read_yx(void *unused)
{
    r2 = atomic_load_explicit(&y, memory_order_seq_cst);
    r3 = atomic_load_explicit(&x, memory_order_seq_cst);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c, d;
    pthread_create(&a, NULL, write_x, NULL);
    pthread_create(&b, NULL, write_y, NULL);
    pthread_create(&c, NULL, read_xy, NULL);
    pthread_create(&d, NULL, read_yx, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    pthread_join(d, NULL);
    assert(!(r0 == 1 && r1 == 0 && r2 == 1 && r3 == 0));
    return 0;
}
