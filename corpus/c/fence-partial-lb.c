/* Load buffering with a fence that orders reads with later writes. On power it is not cumulative, and the reads
 * may still see each other's writes.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

void __CPROVER_fence(const char *kind, ...);

int x, y;
int r0, r1;

static void *left(void *unused)
{
    int a = x;
    __CPROVER_fence("RWfence");
    y = 1;
    r0 = a;
    return NULL;
}

static void *right(void *unused)
{
    int b = y;
    __CPROVER_fence("RWfence");
    x = 1;
    r1 = b;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r0 == 1 && r1 == 1));
    return 0;
}
