/* Two threads write different cells of one array, each at a symbolic index. Neither write touches the other's
 * cell; who rewrites the whole array loses one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int cells[4];
int first, second;

static void *one(void *unused)
{
    cells[first] = 1;
    return NULL;
}

static void *two(void *unused)
{
    cells[second] = 2;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    first = __VERIFIER_nondet_int();
    second = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= first && first < 4);
    __VERIFIER_assume(0 <= second && second < 4);
    __VERIFIER_assume(first != second);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(cells[first] == 1 && cells[second] == 2);
    return 0;
}
