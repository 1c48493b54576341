/*
 * The types of the library.
 *
 * A program's own headers may say what they like about pthread_mutex_t and its kin: these are what objects of
 * those types consist of here. They are as small as can be, because each member is a location of shared memory.
 * All of them are zero where they are initialised statically, but for the kind of a mutex.
 *
 * The runtime is C without a preprocessor. Functions whose names begin with __fencepost_ and that are not defined
 * here are intrinsics; see src/builtins/intrinsics.rs. Accesses to members go through __fencepost_get and
 * __fencepost_set: relaxed atomic accesses, so that the library itself never takes part in a data race.
 */

/* kind: 0 normal, 1 recursive, 2 error-checking. The members after it are used by the latter two only. */
struct __fencepost_mutex {
    int lock;
    int kind;
    unsigned long owner;
    unsigned int count;
};

struct __fencepost_mutexattr {
    int kind;
    int protocol;
    int ceiling;
    int shared;
};

/* A bit for each thread that waits. */
struct __fencepost_cond {
    unsigned int waiting;
};

/* The number of readers, or -1 when a writer has it. */
struct __fencepost_rwlock {
    int state;
};

/* The threads that a round needs; the number of the round (above) and of those that have come to it (below). */
struct __fencepost_barrier {
    unsigned int needed;
    unsigned int state;
};

struct __fencepost_sem {
    unsigned int value;
};

struct __fencepost_once {
    int state;
};

/* Attributes that change nothing here. Of those of a thread one does: whether it is detached. */
struct __fencepost_attr {
    int unused;
};

typedef struct __fencepost_mutex pthread_mutex_t;
typedef struct __fencepost_mutexattr pthread_mutexattr_t;
typedef struct __fencepost_cond pthread_cond_t;
typedef struct __fencepost_attr pthread_condattr_t;
typedef struct __fencepost_rwlock pthread_rwlock_t;
typedef struct __fencepost_attr pthread_rwlockattr_t;
typedef struct __fencepost_barrier pthread_barrier_t;
typedef struct __fencepost_attr pthread_barrierattr_t;
typedef int pthread_attr_t;
typedef struct __fencepost_sem sem_t;
typedef struct __fencepost_mutex mtx_t;
typedef struct __fencepost_cond cnd_t;
typedef struct __fencepost_once once_flag;
