/* Store buffering where the stores go to an array at an index that is any of two. The store is delayed like any
 * other; the fence mends it.
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

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int cells[2], y;
int which;
int r0, r1;

static void *left(void *unused)
{
    cells[which] = 1;
    fence();
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
    fence();
    r1 = cells[which];
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    which = __VERIFIER_nondet_int();
    __VERIFIER_assume(which == 0 || which == 1);
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
