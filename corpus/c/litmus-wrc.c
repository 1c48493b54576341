/* Write-to-read causality: one thread writes x, the second sees it and writes y, the third sees y and must see x.
 * Without fences or dependencies the accesses of the two readers change places on rmo, alpha and power.
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
int r0, r1, r2;

static void *first(void *unused)
{
    x = 1;
    return NULL;
}

static void *second(void *unused)
{
    r0 = x;
    fence();
    y = 1;
    return NULL;
}

static void *third(void *unused)
{
    r1 = y;
    fence();
    r2 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_create(&c, NULL, third, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(!(r0 == 1 && r1 == 1 && r2 == 0));
    return 0;
}
