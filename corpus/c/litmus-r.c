/* R: a thread's write arrives after another thread's, and yet its next read misses what the other wrote before. A
 * write that waits while the later read goes ahead does it, so tso has it too.
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
int r0;

static void *left(void *unused)
{
    x = 1;
    fence();
    y = 1;
    return NULL;
}

static void *right(void *unused)
{
    y = 2;
    fence();
    r0 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(y == 2 && r0 == 0));
    return 0;
}
