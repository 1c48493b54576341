/*
 * Mutexes. A lock is one read-modify-write that acquires and waits until it finds 0; an unlock is one write that
 * releases. Nothing spins. What else they order is the model's business: C libraries use locked instructions on x86,
 * which are full fences, and no more than acquire and release on Power.
 */

int pthread_mutex_init(struct __fencepost_mutex *m, const struct __fencepost_mutexattr *attr) {
    int kind = 0;
    if (attr) kind = __fencepost_get(&attr->kind);
    __fencepost_set(&m->lock, 0);
    __fencepost_set(&m->kind, kind);
    if (kind) {
        __fencepost_set(&m->owner, 0);
        __fencepost_set(&m->count, 0);
    }
    return 0;
}

void __fencepost_unused_mutex(struct __fencepost_mutex *m) {
    __fencepost_misuse(__fencepost_get(&m->lock) == 0, "a mutex is initialised that is locked");
}

/* Who destroys a mutex must not need it any more: its kind says so to those who come later. */
int pthread_mutex_destroy(struct __fencepost_mutex *m) {
    __fencepost_misuse(__fencepost_get(&m->kind) != 99, "pthread_mutex_destroy: the mutex is destroyed already");
    __fencepost_misuse(__fencepost_get(&m->lock) == 0, "pthread_mutex_destroy: the mutex is locked");
    __fencepost_set(&m->kind, 99);
    return 0;
}

/* The rest of a lock of a mutex that is not normal, if this thread has it already. EDEADLK is 35. Initialisers of
   glibc know another kind, 3, which waits for itself like a normal one. */
static int __fencepost_again(struct __fencepost_mutex *m, int kind) {
    if (kind == 2) return 35;
    __fencepost_wait(kind == 1);
    __fencepost_set(&m->count, __fencepost_get(&m->count) + 1);
    return 0;
}

int pthread_mutex_lock(struct __fencepost_mutex *m) {
    int kind = __fencepost_get(&m->kind);
    if (kind) {
        __fencepost_misuse(kind != 99, "pthread_mutex_lock: the mutex is destroyed or not initialised");
        unsigned long self = __fencepost_self();
        if (__fencepost_get(&m->owner) == self) return __fencepost_again(m, kind);
        __fencepost_mutex_fence();
        __fencepost_wait(__fencepost_acquire_if(&m->lock, 0, 1) == 0);
        __fencepost_mutex_fence();
        __fencepost_set(&m->owner, self);
        __fencepost_set(&m->count, 1);
        return 0;
    }
    __fencepost_mutex_fence();
    __fencepost_wait(__fencepost_acquire_if(&m->lock, 0, __fencepost_mark()) == 0);
    __fencepost_mutex_fence();
    return 0;
}

/* EBUSY is 16. Who finds the mutex taken knows nothing of what others did with it. */
int pthread_mutex_trylock(struct __fencepost_mutex *m) {
    int kind = __fencepost_get(&m->kind);
    int old = 0;
    if (kind) {
        __fencepost_misuse(kind != 99, "pthread_mutex_trylock: the mutex is destroyed or not initialised");
        unsigned long self = __fencepost_self();
        if (__fencepost_get(&m->owner) == self) {
            if (kind != 1) return 16;
            return __fencepost_again(m, kind);
        }
        __fencepost_mutex_fence();
        old = __fencepost_try_acquire_if(&m->lock, 0, 1);
        __fencepost_mutex_fence();
        if (old) return 16;
        __fencepost_set(&m->owner, self);
        __fencepost_set(&m->count, 1);
        return 0;
    }
    __fencepost_mutex_fence();
    old = __fencepost_try_acquire_if(&m->lock, 0, __fencepost_mark());
    __fencepost_mutex_fence();
    if (old == 0) return 0;
    return 16;
}

/* It may time out only while a thread has the mutex, and never waits for ever. A thread may be as slow as it likes, so that one attempt says
   it all: it comes when the mutex is free, or when the time is over. ETIMEDOUT is 110. */
int pthread_mutex_timedlock(struct __fencepost_mutex *m, const void *until) {
    int kind = __fencepost_get(&m->kind);
    if (kind == 2 && __fencepost_get(&m->owner) == __fencepost_self()) return 35;
    if (pthread_mutex_trylock(m) == 0) return 0;
    return 110;
}

int pthread_mutex_clocklock(struct __fencepost_mutex *m, int clock, const void *until) {
    return pthread_mutex_timedlock(m, until);
}

/* Who does not have a mutex must not unlock it: EPERM is 1. A normal mutex holds the mark of the thread that has it; where one can
   see that all unlock their own, that is the same for all (see src/lower/owners.rs). */
int pthread_mutex_unlock(struct __fencepost_mutex *m) {
    int kind = __fencepost_get(&m->kind);
    if (kind) {
        unsigned int count = 0;
        __fencepost_misuse(kind != 99, "pthread_mutex_unlock: the mutex is destroyed or not initialised");
        if (__fencepost_get(&m->owner) != __fencepost_self()) return 1;
        count = __fencepost_get(&m->count) - 1;
        __fencepost_set(&m->count, count);
        if (count) return 0;
        __fencepost_set(&m->owner, 0);
    } else {
        __fencepost_misuse(__fencepost_get(&m->lock) == __fencepost_mark(), "pthread_mutex_unlock: this thread does not have the mutex");
    }
    __fencepost_mutex_fence();
    __fencepost_release(&m->lock, 0);
    __fencepost_mutex_fence();
    return 0;
}

int pthread_mutexattr_init(struct __fencepost_mutexattr *a) {
    __fencepost_set(&a->kind, 0);
    __fencepost_set(&a->protocol, 0);
    __fencepost_set(&a->ceiling, 0);
    __fencepost_set(&a->shared, 0);
    return 0;
}

int pthread_mutexattr_destroy(struct __fencepost_mutexattr *a) { return 0; }

/* Kinds above 2, such as glibc's adaptive one, are normal. */
int pthread_mutexattr_settype(struct __fencepost_mutexattr *a, int kind) {
    if (kind != 1 && kind != 2) kind = 0;
    __fencepost_set(&a->kind, kind);
    return 0;
}

int pthread_mutexattr_gettype(const struct __fencepost_mutexattr *a, int *kind) {
    *kind = __fencepost_get(&a->kind);
    return 0;
}

/* The others change nothing here. */
int pthread_mutexattr_setprotocol(struct __fencepost_mutexattr *a, int protocol) {
    __fencepost_set(&a->protocol, protocol);
    return 0;
}

int pthread_mutexattr_getprotocol(const struct __fencepost_mutexattr *a, int *protocol) {
    *protocol = __fencepost_get(&a->protocol);
    return 0;
}

int pthread_mutexattr_setprioceiling(struct __fencepost_mutexattr *a, int ceiling) {
    __fencepost_set(&a->ceiling, ceiling);
    return 0;
}

int pthread_mutexattr_getprioceiling(const struct __fencepost_mutexattr *a, int *ceiling) {
    *ceiling = __fencepost_get(&a->ceiling);
    return 0;
}

int pthread_mutexattr_setpshared(struct __fencepost_mutexattr *a, int shared) {
    __fencepost_set(&a->shared, shared);
    return 0;
}

int pthread_mutexattr_getpshared(const struct __fencepost_mutexattr *a, int *shared) {
    *shared = __fencepost_get(&a->shared);
    return 0;
}

int pthread_spin_init(int *lock, int shared) {
    __fencepost_set(lock, 0);
    return 0;
}

int pthread_spin_destroy(int *lock) { return 0; }

int pthread_spin_lock(int *lock) {
    __fencepost_mutex_fence();
    __fencepost_wait(__fencepost_acquire_if(lock, 0, 1) == 0);
    __fencepost_mutex_fence();
    return 0;
}

int pthread_spin_trylock(int *lock) {
    int old = 0;
    __fencepost_mutex_fence();
    old = __fencepost_try_acquire_if(lock, 0, 1);
    __fencepost_mutex_fence();
    if (old == 0) return 0;
    return 16;
}

/* On x86 this is a plain store. */
int pthread_spin_unlock(int *lock) {
    __fencepost_misuse(__fencepost_get(lock) != 0, "pthread_spin_unlock: nobody has the lock");
    __fencepost_spin_fence();
    __fencepost_release(lock, 0);
    __fencepost_spin_fence();
    return 0;
}
