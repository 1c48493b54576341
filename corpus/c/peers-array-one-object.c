/* Store buffering between two cells of one array. Who takes the array for one location keeps the accesses in order
 * and misses it.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int cells[2];
int r0, r1;

static void *left(void *unused)
{
    cells[0] = 1;
    r0 = cells[1];
    return NULL;
}

static void *right(void *unused)
{
    cells[1] = 1;
    r1 = cells[0];
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
