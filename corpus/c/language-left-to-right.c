/* Operands are evaluated from left to right, each read is an event: `x - x` is not zero if another thread writes
 * in between.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DONCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x;

static void *writer(void *unused)
{
    x = 1;
    return NULL;
}

static void *reader(void *unused)
{
#ifdef ONCE
    int seen = x;
    assert(seen - seen == 0);
#else
    assert(x - x == 0);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
