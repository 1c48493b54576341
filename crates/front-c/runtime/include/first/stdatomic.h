/* The system's, and with it the names of <stdint.h> and <stddef.h>: clang's has them, and programs rely on it. */
#include <stddef.h>
#include <stdint.h>
#include_next <stdatomic.h>

/* The system's may be an atomic store; C's is none, and races with other accesses. */
#undef atomic_init
#define atomic_init(p, v) __c11_atomic_init(p, v)
