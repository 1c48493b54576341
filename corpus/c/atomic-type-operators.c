/* Operators on an object of atomic type are atomic and sequentially consistent: ++, +=, |=; but x = x + 1 is a
 * read and a write.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DTWO_STEPS sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

static void *one(void *unused)
{
#ifdef TWO_STEPS
    x = x + 1;
#else
    x++;
#endif
    return NULL;
}

static void *two(void *unused)
{
#ifdef TWO_STEPS
    x = x + 2;
#else
    x += 2;
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 3);
    return 0;
}
