/* What orders accesses around the kernel's read-modify-writes and locks. A full fence is part of an operation that returns a value and
 * succeeds; one that fails orders nothing. A lock with smp_mb__after_spinlock is a full fence.
 * @expect lkmm: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE; tso: SAFE
 * @expect -DFAILS lkmm: UNSAFE; aarch64: UNSAFE; riscv: UNSAFE; tso: SAFE
 * @expect -DRELAXED lkmm: UNSAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DLOCK lkmm: UNSAFE; aarch64: UNSAFE; tso: SAFE
 * @expect -DLOCK -DAFTER_LOCK lkmm: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

int x, y, r1, r2, c1, c2;
spinlock_t l1, l2;

static void between(int *c, spinlock_t *l)
{
#ifdef LOCK
    spin_lock(l);
#ifdef AFTER_LOCK
    smp_mb__after_spinlock();
#endif
    spin_unlock(l);
#elif defined(FAILS)
    cmpxchg(c, 1, 2);
#elif defined(RELAXED)
    cmpxchg_relaxed(c, 0, 2);
#else
    cmpxchg(c, 0, 2);
#endif
}

static void *left(void *unused)
{
    WRITE_ONCE(x, 1);
    between(&c1, &l1);
    r1 = READ_ONCE(y);
    return NULL;
}

static void *right(void *unused)
{
    WRITE_ONCE(y, 1);
    between(&c2, &l2);
    r2 = READ_ONCE(x);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r1 || r2);
    return 0;
}
