/* Nidhugg's waits: an exchange and a load that go on when what they read compares as asked. The second thread waits for the
 * exchange, so that both have an order.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DWRONG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define AWAIT_EQ 0b0010
#define AWAIT_SLT 0b1100
#define AWAIT_UGE 0b0011

atomic_int turn;
atomic_uint count;

int __VERIFIER_xchg_await_aint(atomic_int *, int, int, int);
unsigned __VERIFIER_load_await_auint(atomic_uint *, int, unsigned);

static void *counts(void *unused)
{
    atomic_fetch_add(&count, 1);
    atomic_fetch_add(&count, 1);
    assert(__VERIFIER_xchg_await_aint(&turn, 5, AWAIT_SLT, 0) == -1);
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, counts, NULL);
    long seen = __VERIFIER_load_await_auint(&count, AWAIT_UGE, 2);
#ifdef WRONG
    assert(atomic_load(&turn) == 5);
#endif
    assert(seen == 2);
    atomic_store(&turn, -1);
    assert(__VERIFIER_xchg_await_aint(&turn, 6, AWAIT_EQ, 5) == 5);
    pthread_join(a, NULL);
    return 0;
}
