/* Each attempt begins with what the one before has written.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct cell { int value; } *seen;
int x;
void *tries(void *unused)
{
    struct cell *own = malloc(sizeof *own);
    int old;
    own->value = 0;
    do {
        old = x;
        own->value = own->value + 1;
    } while (!__sync_bool_compare_and_swap(&x, old, 9));
    seen = own;
    return 0;
}
void *other(void *unused)
{
    x = 1; x = 2;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, tries, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen->value < 3);
    return 0;
}
