/* Read-to-write causality: a reader sees x but not y, and the writer of y does not see x. The writer's read goes
 * ahead of its write.
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
    r1 = y;
    return NULL;
}

static void *third(void *unused)
{
    y = 1;
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
    assert(!(r0 == 1 && r1 == 0 && r2 == 0));
    return 0;
}
