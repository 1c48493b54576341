/* Linux's lockref: a spin lock and a reference count in one word of 64 bits. Where the lock is free, the count grows by
 * a compare-and-swap of both; under the lock it is changed by itself, in 32 bits. With -DBUG the swap does not look at the lock.
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

union lockref {
    uint64_t both;
    struct {
        uint32_t lock;
        int32_t count;
    };
};

union lockref ref;

static void lock(void)
{
    uint32_t free = 0;
    while (!__atomic_compare_exchange_n(&ref.lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        free = 0;
}

static void unlock(void)
{
    __atomic_store_n(&ref.lock, 0, __ATOMIC_RELEASE);
}

static void *get(void *arg)
{
    union lockref old, new;
    old.both = __atomic_load_n(&ref.both, __ATOMIC_RELAXED);
#ifndef BUG
    if (old.lock == 0)
#endif
    {
        new.both = old.both;
        new.count++;
        if (__atomic_compare_exchange_n(&ref.both, &old.both, new.both, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return arg;
    }
    lock();
    ref.count++;
    unlock();
    return arg;
}

static void *put(void *arg)
{
    lock();
    ref.count--;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    ref.count = 3;
    pthread_create(&a, 0, get, 0);
    pthread_create(&b, 0, put, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(ref.lock == 0);
    assert(ref.count == 3);
    return 0;
}
