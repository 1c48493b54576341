/* Store buffering with a fence in one thread only. The other thread's write can still wait.
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
    x = 1;
    __sync_synchronize();
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
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
