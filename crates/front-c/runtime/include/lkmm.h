/*
 * The Linux kernel's operations, as programs for GenMC and for Dartagnan include them. The macros take a place, the
 * functions a pointer; see <fencepost.h> for the rest.
 */
#ifndef FENCEPOST_LKMM_H
#define FENCEPOST_LKMM_H

#include <fencepost.h>
#include <stdint.h>

#define rcu_dereference(p) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), v)

void smp_mb__after_spinlock(void);
void smp_mb__after_unlock_lock(void);
void rcu_read_lock(void);
void rcu_read_unlock(void);
void synchronize_rcu(void);
void synchronize_rcu_expedited(void);

typedef struct { int64_t counter; } atomic64_t;
typedef atomic64_t atomic_long_t;

/* C11's operations, which GenMC's header has too, for programs that are written for both. */
#ifndef FENCEPOST_LKMM_ORDERS
#define FENCEPOST_LKMM_ORDERS
typedef enum {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;
#endif
#define atomic_load_explicit(p, m) __atomic_load_n(p, m)
#define atomic_store_explicit(p, v, m) __atomic_store_n(p, v, m)
#define atomic_exchange_explicit(p, v, m) __atomic_exchange_n(p, v, m)
#define atomic_compare_exchange_strong_explicit(p, e, d, s, f) __atomic_compare_exchange_n(p, e, d, 0, s, f)
#define atomic_compare_exchange_weak_explicit(p, e, d, s, f) __atomic_compare_exchange_n(p, e, d, 1, s, f)
#define atomic_fetch_add_explicit(p, v, m) __atomic_fetch_add(p, v, m)
#define atomic_fetch_sub_explicit(p, v, m) __atomic_fetch_sub(p, v, m)
#define atomic_fetch_or_explicit(p, v, m) __atomic_fetch_or(p, v, m)
#define atomic_fetch_xor_explicit(p, v, m) __atomic_fetch_xor(p, v, m)
#define atomic_fetch_and_explicit(p, v, m) __atomic_fetch_and(p, v, m)

#endif
