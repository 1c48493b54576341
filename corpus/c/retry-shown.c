/* Each attempt gives the object away before it fails.
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
        own->value = old + 1;
        seen = own;
    } while (!__sync_bool_compare_and_swap(&x, old, 9));
    return 0;
}
void *other(void *unused)
{
    x = 5; struct cell *its = seen; if (its && its->value == 6) { x = 6; assert(its->value != 7); }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, tries, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);

    return 0;
}
