/* A release store waits in the buffer as well. Other checkers make it an atomic section and miss the store
 * buffering.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r0, r1;

static void *left(void *unused)
{
    __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
    r0 = __atomic_load_n(&y, __ATOMIC_ACQUIRE);
    return NULL;
}

static void *right(void *unused)
{
    __atomic_store_n(&y, 1, __ATOMIC_RELEASE);
    r1 = __atomic_load_n(&x, __ATOMIC_ACQUIRE);
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
