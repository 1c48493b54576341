/* A lock in assembly, as libraries for x86 have it: compare-exchange, and `setz` or the flag itself as an output. The unlock is
 * a plain store, which is enough on x86 (tso) and not where stores change places.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DSETZ sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DLOCKED_UNLOCK sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

unsigned lock;
int counter;

static bool compare_exchange(unsigned *to, unsigned expected, unsigned desired)
{
    bool done;
#if defined SETZ
    __asm__ __volatile__("lock cmpxchgl %2, %0; setz %1" : "+m"(*to), "=a"(done) : "q"(desired), "a"(expected) : "memory", "cc");
#elif defined BROKEN
    __asm__ __volatile__("cmpxchgl %3, %0" : "+m"(*to), "=@ccz"(done), "+a"(expected) : "q"(desired) : "memory", "cc");
#else
    __asm__ __volatile__("lock cmpxchgl %3, %0" : "+m"(*to), "=@ccz"(done), "+a"(expected) : "q"(desired) : "memory", "cc");
#endif
    return done;
}

static void release(unsigned *to)
{
#ifdef LOCKED_UNLOCK
    unsigned zero = 0;
    __asm__ __volatile__("xchg{l %1, %0| %0, %1}" : "+m"(*to), "+q"(zero) : : "memory");
#else
    __asm__ __volatile__("movl %1, %0" : "=m"(*to) : "Zq"(0) : "memory");
#endif
}

static void *run(void *unused)
{
    while (!compare_exchange(&lock, 0, 1))
        __asm__ __volatile__("pause" ::: "memory");
    counter++;
    release(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
