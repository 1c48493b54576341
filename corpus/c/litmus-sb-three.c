/* Store buffering in a ring of three threads. All three reads are old only if a write waits while a read goes
 * ahead.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
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

int x, y, z;
int r0, r1, r2;

static void *first(void *unused)
{
    x = 1;
    fence();
    r0 = y;
    return NULL;
}

static void *second(void *unused)
{
    y = 1;
    fence();
    r1 = z;
    return NULL;
}

static void *third(void *unused)
{
    z = 1;
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
    assert(r0 == 1 || r1 == 1 || r2 == 1);
    return 0;
}
