/* Compare and swap by both threads from the same value: one succeeds. Who gets that wrong raises a false alarm
 * even if threads take turns.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x;
int won[2];

static void *one(void *unused)
{
    won[0] = __sync_bool_compare_and_swap(&x, 0, 1);
    return NULL;
}

static void *two(void *unused)
{
    won[1] = __sync_bool_compare_and_swap(&x, 0, 2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(won[0] + won[1] == 1);
    assert(x == (won[0] ? 1 : 2));
    return 0;
}
