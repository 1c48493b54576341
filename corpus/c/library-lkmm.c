/* The kernel's operations as programs for GenMC and Dartagnan have them from <lkmm.h>: all results and their values, and a
 * message that is passed by fences. An atomic operation is a fence on SPARC (pso) in any case.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DNO_FENCES sc: SAFE; tso: SAFE; pso: SAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

#ifdef NO_FENCES
#define order() barrier()
#else
#define order() smp_mb()
#endif

int x;
atomic_t y;
spinlock_t guard;

static void values(void)
{
    static atomic_t a = ATOMIC_INIT(12);
    static atomic_long_t b;
    atomic_andnot(4, &a);
    assert(atomic_read(&a) == 8);
    assert(atomic_fetch_andnot(8, &a) == 8 && atomic_read(&a) == 0);
    assert(!atomic_add_negative(1, &a) && atomic_add_negative(-2, &a));
    assert(!atomic_inc_and_test(&a) == 0);
    assert(atomic_long_xchg(&b, 5) == 0 && atomic_long_cmpxchg(&b, 5, 6) == 5 && atomic_long_read_acquire(&b) == 6);
    assert(!spin_is_locked(&guard) && spin_trylock(&guard) && spin_is_locked(&guard));
    spin_unlock(&guard);
}

static void *writer(void *unused)
{
    WRITE_ONCE(x, 1);
    order();
    atomic_fetch_or_relaxed(2, &y);
    return NULL;
}

static void *reader(void *unused)
{
    int seen = atomic_read(&y);
    order();
    if (seen)
        assert(READ_ONCE(x) == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    values();
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
