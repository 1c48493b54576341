/*
 * What programs for GenMC include. Marks for its search mean nothing here: a loop that only waits is recognised as one,
 * and what is said to be local, final, helping or optional is looked at like everything else.
 *
 * Memory that is retired under hazard pointers is never given back.
 */
#ifndef FENCEPOST_GENMC_H
#define FENCEPOST_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void __VERIFIER_assume(bool);
int __VERIFIER_nondet_int(void);

typedef pthread_t __VERIFIER_thread_t;
__VERIFIER_thread_t __VERIFIER_spawn(void *(*)(void *), void *);
__VERIFIER_thread_t __VERIFIER_spawn_symmetric(void *(*)(void *), void *, __VERIFIER_thread_t);
void *__VERIFIER_join(__VERIFIER_thread_t);
void __VERIFIER_join_symmetric(__VERIFIER_thread_t);

void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(bool);

#define __VERIFIER_local_write(s) do { s; } while (0)
#define __VERIFIER_final_write(s) do { s; } while (0)
#define __VERIFIER_helped_CAS(c) do { c; } while (0)
#define __VERIFIER_helping_CAS(c) do { c; } while (0)
#define __VERIFIER_speculative_read(c) ({ c; })
#define __VERIFIER_confirming_read(c) ({ c; })
#define __VERIFIER_confirming_CAS(c) ({ c; })
#define __VERIFIER_final_CAS(c) ({ c; })
#define __VERIFIER_optional(x) do { x; } while (0)

void __VERIFIER_method_begin(const char *, int32_t);
void __VERIFIER_method_end(const char *, int32_t);

typedef struct { void *guarded; } __VERIFIER_hp_t;
__VERIFIER_hp_t *__VERIFIER_hp_alloc(void);
#define __VERIFIER_hp_protect(hp, p) ((void)(hp), __atomic_load_n((void **)(p), __ATOMIC_ACQUIRE))
void __VERIFIER_hp_clear(__VERIFIER_hp_t *);
void __VERIFIER_hp_free(__VERIFIER_hp_t *);
void __VERIFIER_hp_retire(void *);

typedef struct __VERIFIER_plock { pthread_mutex_t lock; } __VERIFIER_plock_t;
int __VERIFIER_plock_lock(__VERIFIER_plock_t *);
int __VERIFIER_plock_unlock(__VERIFIER_plock_t *);

#endif
