/* An atomic exchange instead of a store, the usual sequentially consistent store of x86: store buffering is gone.
 * In front of a plain read it is no full fence on power.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r0, r1;

static void *left(void *unused)
{
    __atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST);
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    __atomic_exchange_n(&y, 1, __ATOMIC_SEQ_CST);
    r1 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
