/* Linux's qspinlock on one word: a byte `locked`, a byte `pending`, and a tail of sixteen bits, accessed as bytes, halves and
 * as a whole. A thread that finds the lock held sets `pending` and waits for the byte `locked`; a third one would queue.
 * It releases the lock by a store to that byte alone. With -DBUG the waiter takes the lock by a store to the word, as
 * if nobody else could have touched it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect x86tso: SAFE
 * @expect aarch64: SAFE
 * @expect -DBUG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#define LOCKED 1u
#define PENDING 0x100u

union qspinlock {
    uint32_t val;
    struct {
        uint8_t locked, pending;
        uint16_t tail;
    } b;
    uint16_t locked_pending;
};

union qspinlock lock;
int inside, visitors;

static void acquire(void)
{
    uint32_t old = 0;
    if (__atomic_compare_exchange_n(&lock.val, &old, LOCKED, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    do
        old = __atomic_load_n(&lock.val, __ATOMIC_RELAXED);
    while (old & PENDING ||
           !__atomic_compare_exchange_n(&lock.val, &old, old | PENDING, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    while (__atomic_load_n(&lock.b.locked, __ATOMIC_ACQUIRE))
        ;
#ifdef BUG
    __atomic_store_n(&lock.val, LOCKED, __ATOMIC_RELAXED);
#else
    __atomic_store_n(&lock.locked_pending, LOCKED, __ATOMIC_RELAXED);
#endif
}

static void release(void)
{
    __atomic_store_n(&lock.b.locked, 0, __ATOMIC_RELEASE);
}

static void *worker(void *arg)
{
    acquire();
    inside++;
    assert(inside == 1);
    inside--;
    visitors++;
    release();
    return arg;
}

/* Somebody queues behind the two. */
static void *queuer(void *arg)
{
    uint16_t before = __atomic_exchange_n(&lock.b.tail, 4, __ATOMIC_RELAXED);
    assert(before == 0);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, queuer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(visitors == 2);
    assert(lock.b.tail == 4 && lock.locked_pending == 0);
    return 0;
}
