/* A store to an array at an index that only the running program knows. Other checkers never delay it and miss the
 * store buffering.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int left_cells[4], right_cells[4];
int r0, r1;

static void *left(void *arg)
{
    int at = *(int *)arg;
    left_cells[at] = 1;
    r0 = right_cells[at];
    return NULL;
}

static void *right(void *arg)
{
    int at = *(int *)arg;
    right_cells[at] = 1;
    r1 = left_cells[at];
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int at = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= at && at < 4);
    pthread_create(&a, NULL, left, &at);
    pthread_create(&b, NULL, right, &at);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
