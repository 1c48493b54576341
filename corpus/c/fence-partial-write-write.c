/* Store buffering with a fence that orders only writes with writes.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

void __CPROVER_fence(const char *kind, ...);

int x, y;
int r0, r1;

static void *left(void *unused)
{
    x = 1;
    __CPROVER_fence("WWfence");
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
    __CPROVER_fence("WWfence");
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
