/* The intrinsics that Dartagnan's own lkmm.h is made of, for programs that are compiled with that header.
 * @expect lkmm: SAFE
 * @expect -DRELAXED lkmm: UNSAFE
 * @expect -DCOUNT lkmm: SAFE; sc: SAFE; aarch64: SAFE
 */
#include <assert.h>
#include <pthread.h>

typedef enum { once, acquire, release, mb, wmb, rmb } order;
typedef enum { add, sub } operation;
extern long __LKMM_load(const volatile void *, unsigned long, order);
extern void __LKMM_store(volatile void *, unsigned long, long, order);
extern long __LKMM_xchg(volatile void *, unsigned long, long, order);
extern long __LKMM_cmpxchg(volatile void *, unsigned long, long, long, order, order);
extern void __LKMM_atomic_op(volatile void *, unsigned long, long, operation);
extern long __LKMM_atomic_op_return(volatile void *, unsigned long, long, order, operation);
extern long __LKMM_atomic_fetch_op(volatile void *, unsigned long, long, order, operation);
extern void __LKMM_fence(order);

#define READ_ONCE(x) (typeof(x))__LKMM_load(&(x), sizeof(x), once)
#define WRITE_ONCE(x, v) __LKMM_store(&(x), sizeof(x), (long)(v), once)

int x, y, lock, count;

static void *producer(void *arg)
{
    WRITE_ONCE(x, 1);
#ifndef RELAXED
    __LKMM_fence(wmb);
#endif
    WRITE_ONCE(y, 1);
#ifdef COUNT
    __LKMM_atomic_op(&count, sizeof count, 2, add);
    assert(__LKMM_xchg(&lock, sizeof lock, 1, mb) <= 1);
#endif
    return arg;
}

static void *consumer(void *arg)
{
    int r = READ_ONCE(y);
    __LKMM_fence(rmb);
    assert(!(r == 1 && READ_ONCE(x) == 0));
#ifdef COUNT
    assert(__LKMM_atomic_op_return(&count, sizeof count, 1, mb, sub) >= -1);
    __LKMM_cmpxchg(&lock, sizeof lock, 0, 1, mb, mb);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef COUNT
    assert(__LKMM_atomic_fetch_op(&count, sizeof count, 5, once, add) == 1);
    assert(__LKMM_load(&count, sizeof count, acquire) == 6 && READ_ONCE(lock) == 1);
#endif
    return 0;
}
