/* Load buffering with data dependencies. No model lets values cause themselves, and the dependency counts even
 * though the value does not depend on what was read.
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
    y = 1 + (a ^ a);
    r0 = a;
    return NULL;
}

static void *right(void *unused)
{
    int b = y;
    x = 1 + (b ^ b);
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
