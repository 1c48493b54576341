/* Two numbers that change together in an atomic section are always equal to who looks in one; not to who looks
 * without.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DHALF sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);
void reach_error(void) { abort(); }

int a, b;

void __VERIFIER_atomic_move(int n)
{
    a += n;
    b += n;
}

static void *writer(void *unused)
{
    __VERIFIER_atomic_move(__VERIFIER_nondet_bool() ? 1 : 5);
    return 0;
}

static void *reader(void *unused)
{
#ifndef HALF
    __VERIFIER_atomic_begin();
#endif
    int x = a;
    int y = b;
#ifndef HALF
    __VERIFIER_atomic_end();
#endif
    __VERIFIER_assume(y != 0);
    if (x != y)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
