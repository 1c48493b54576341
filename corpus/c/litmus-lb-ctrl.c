/* Load buffering where a branch on the value read decides each write. Control dependencies to writes are kept by
 * all models that reorder reads and writes, on alpha by the axiom against thin air.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r0, r1;

static void *left(void *unused)
{
    int a = x;
    if (a >= 0)
        y = 1;
    r0 = a;
    return NULL;
}

static void *right(void *unused)
{
    int b = y;
    if (b >= 0)
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
