/* n6: a thread reads its own write early, before anybody else can see it. Only store forwarding explains it.
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
int r0, r1;

static void *left(void *unused)
{
    x = 1;
    fence();
    r0 = x;
    fence();
    r1 = y;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
    fence();
    x = 2;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r0 == 1 && r1 == 0 && x == 1));
    return 0;
}
