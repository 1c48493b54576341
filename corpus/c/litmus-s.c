/* S: the second thread sees the flag of the first, and yet its write to x is overwritten by the earlier one. The
 * writes of the first thread must change places, or read and write of the second.
 * @expect sc: SAFE
 * @expect tso: SAFE
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
    x = 2;
    fence();
    y = 1;
    return NULL;
}

static void *right(void *unused)
{
    r0 = y;
    fence();
    x = 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r0 == 1 && x == 2));
    return 0;
}
