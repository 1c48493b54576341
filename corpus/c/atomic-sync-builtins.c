/* GCC's older builtins are full fences and atomic: add and fetch, compare and swap.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x, swaps;

static void *one(void *unused)
{
    __sync_add_and_fetch(&x, 5);
    if (__sync_bool_compare_and_swap(&x, 5, 6))
        __sync_fetch_and_add(&swaps, 1);
    return NULL;
}

static void *two(void *unused)
{
    __sync_fetch_and_sub(&x, 2);
    if (__sync_val_compare_and_swap(&x, 3, 4) == 3)
        __sync_fetch_and_add(&swaps, 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert((x == 3 && swaps == 0) || (x == 4 && swaps == 1));
    return 0;
}
