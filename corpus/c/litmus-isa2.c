/* ISA2: message passing through two flags and three threads. With lwsync everywhere it holds where all see a write
 * at the same time; this model of power wants full fences, since its lwsync does not reach from a write to a read.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DLWSYNC sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#if defined FENCE
#define fence() __sync_synchronize()
#elif defined LWSYNC
#define fence() __asm__ __volatile__("lwsync" ::: "memory")
#else
#define fence() ((void)0)
#endif

int x, y, z;
int r0, r1, r2;

static void *first(void *unused)
{
    x = 1;
    fence();
    y = 1;
    return NULL;
}

static void *second(void *unused)
{
    r0 = y;
    fence();
    z = 1;
    return NULL;
}

static void *third(void *unused)
{
    r1 = z;
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
