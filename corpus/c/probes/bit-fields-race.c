/* Two bit-fields share a storage unit: to write one is to read and write the unit, so that a neighbour can lose
 * its value. A field of zero width begins a new unit.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DAPART sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

struct flags {
    unsigned a : 3;
#ifdef APART
    unsigned : 0;
#endif
    unsigned b : 5;
    signed c : 4;
} flags;

static void *left(void *unused)
{
    flags.a = 7;
    return NULL;
}

static void *right(void *unused)
{
    flags.b = 17;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    flags.c = 15;
    assert(flags.c == -1);
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(flags.a == 7 && flags.b == 17);
    return 0;
}
