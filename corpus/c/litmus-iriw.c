/* Independent reads of independent writes: two readers see two writes in opposite orders. Only where reads change
 * places (rmo, alpha, power) or writes reach threads one by one (power).
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int x, y;
int r0, r1, r2, r3;

static void *write_x(void *unused)
{
    x = 1;
    return NULL;
}

static void *write_y(void *unused)
{
    y = 1;
    return NULL;
}

static void *read_xy(void *unused)
{
    r0 = x;
    fence();
    r1 = y;
    return NULL;
}

static void *read_yx(void *unused)
{
    r2 = y;
    fence();
    r3 = x;
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
