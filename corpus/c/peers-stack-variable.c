/* A variable on the stack of one thread, written by another through a pointer and read by a third: its writes are
 * delayed too. Who takes stacks for private misses it.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int *place;
int y, r0, r1;

static void *left(void *unused)
{
    *place = 1;
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
    r1 = *place;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 0;
    place = &x;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
