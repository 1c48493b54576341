/*
 * What Fencepost knows beyond C and POSIX. Include it as <fencepost.h>.
 *
 *   __VERIFIER_assume(c) only executions in which c holds here are looked at
 *   await_while(c)       wait while c holds; a thread that waits for ever is deadlocked
 *   FP_CRITICAL_BEGIN()  the thread enters a critical section; it leaves it at FP_CRITICAL_END() or at its end.
 *                        To be verified: two threads are never inside at once. Memory is not touched, nor ordered.
 *   __VERIFIER_nondet_T  any value of the type T: int, uint, bool...
 *   smp_mb() ...         the operations of the Linux kernel
 */
#ifndef FENCEPOST_H
#define FENCEPOST_H

void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_loop_bound(int);
void __fencepost_wait(int);
void __fencepost_critical_begin(void);
void __fencepost_critical_end(void);
#define FP_CRITICAL_BEGIN() __fencepost_critical_begin()
#define FP_CRITICAL_END() __fencepost_critical_end()

_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);

/* A loop that only waits: one wait for the values that end it. `c` must not change anything. */
#define await_while(c) __fencepost_wait(!(c))

/* Linux. The macros take a place, the functions a pointer. */
#define READ_ONCE(x) __fencepost_read_once(&(x))
#define WRITE_ONCE(x, v) __fencepost_write_once(&(x), v)
#define smp_load_acquire(p) __fencepost_load_acquire(p)
#define smp_store_release(p, v) __fencepost_store_release(p, v)
#define smp_store_mb(x, v) do { WRITE_ONCE(x, v); smp_mb(); } while (0)
#define xchg(p, v) __fencepost_xchg(p, v)
#define cmpxchg(p, e, v) __fencepost_cmpxchg(p, e, v)
#define barrier() __asm__ __volatile__("" ::: "memory")
#define cpu_relax() barrier()

void smp_mb(void);
void smp_rmb(void);
void smp_wmb(void);
void smp_mb__before_atomic(void);
void smp_mb__after_atomic(void);

typedef struct { int counter; } atomic_t;
typedef struct { int lock; } spinlock_t;
#define ATOMIC_INIT(v) { v }
#define DEFINE_SPINLOCK(name) spinlock_t name = { 0 }

int atomic_read(const atomic_t *);
void atomic_set(atomic_t *, int);
void atomic_inc(atomic_t *);
void atomic_dec(atomic_t *);
void atomic_add(int, atomic_t *);
void atomic_sub(int, atomic_t *);
int atomic_inc_return(atomic_t *);
int atomic_dec_return(atomic_t *);
int atomic_add_return(int, atomic_t *);
int atomic_sub_return(int, atomic_t *);
int atomic_dec_and_test(atomic_t *);
int atomic_inc_and_test(atomic_t *);
int atomic_xchg(atomic_t *, int);
int atomic_cmpxchg(atomic_t *, int, int);

void spin_lock_init(spinlock_t *);
void spin_lock(spinlock_t *);
int spin_trylock(spinlock_t *);
void spin_unlock(spinlock_t *);

#endif
