/* Each thread copies what the other writes. A value that nobody computes must not appear.
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

static void *left(void *unused)
{
    y = x;
    return NULL;
}

static void *right(void *unused)
{
    x = y;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 0 && y == 0);
    return 0;
}
