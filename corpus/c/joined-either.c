/* A thread that joins one of two others, any of them, and does nothing after that. Who joins that thread has seen what the one did, not
 * what the other did.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; ppc: UNSAFE
 * @expect -DBOTH sc: SAFE; tso: SAFE; aarch64: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int x, y;
pthread_t a, b;

static void *first(void *arg)
{
    x = 1;
    return arg;
}

static void *second(void *arg)
{
    y = 1;
    return arg;
}

static void *joins(void *arg)
{
    pthread_join(*(pthread_t *)arg, 0);
    return 0;
}

int main(void)
{
    pthread_t joiner;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&joiner, 0, joins, __VERIFIER_nondet_int() ? &a : &b);
    pthread_join(joiner, 0);
#ifdef BOTH
    assert(x == 1 || y == 1);
#else
    assert(x == 1);
#endif
    return 0;
}
