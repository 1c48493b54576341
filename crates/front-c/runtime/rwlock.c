/*
 * Read-write locks, barriers and semaphores: one word each, one read-modify-write for each operation, and for those
 * that block a wait on what it read. Barriers are full fences on either side; the others order as mutexes do. A timed operation is one
 * attempt, see pthread_mutex_timedlock.
 */

int pthread_rwlock_init(struct __fencepost_rwlock *l, const void *attr) {
    __fencepost_set(&l->state, 0);
    return 0;
}

void __fencepost_unused_rwlock(struct __fencepost_rwlock *l) {
    __fencepost_misuse(__fencepost_get(&l->state) == 0, "a read-write lock is initialised that is held");
}

int pthread_rwlock_destroy(struct __fencepost_rwlock *l) {
    __fencepost_misuse(__fencepost_get(&l->state) == 0, "pthread_rwlock_destroy: the lock is held");
    return 0;
}

int pthread_rwlock_rdlock(struct __fencepost_rwlock *l) {
    __fencepost_mutex_fence();
    __fencepost_wait(__fencepost_enter(&l->state) >= 0);
    __fencepost_mutex_fence();
    return 0;
}

int pthread_rwlock_tryrdlock(struct __fencepost_rwlock *l) {
    int old = 0;
    __fencepost_mutex_fence();
    old = __fencepost_try_enter(&l->state);
    __fencepost_mutex_fence();
    if (old >= 0) return 0;
    return 16;
}

int pthread_rwlock_timedrdlock(struct __fencepost_rwlock *l, const void *until) {
    if (pthread_rwlock_tryrdlock(l) == 0) return 0;
    return 110;
}

int pthread_rwlock_wrlock(struct __fencepost_rwlock *l) {
    __fencepost_mutex_fence();
    __fencepost_wait(__fencepost_acquire_if(&l->state, 0, -1) == 0);
    __fencepost_mutex_fence();
    return 0;
}

int pthread_rwlock_trywrlock(struct __fencepost_rwlock *l) {
    int old = 0;
    __fencepost_mutex_fence();
    old = __fencepost_try_acquire_if(&l->state, 0, -1);
    __fencepost_mutex_fence();
    if (old == 0) return 0;
    return 16;
}

int pthread_rwlock_timedwrlock(struct __fencepost_rwlock *l, const void *until) {
    if (pthread_rwlock_trywrlock(l) == 0) return 0;
    return 110;
}

int pthread_rwlock_unlock(struct __fencepost_rwlock *l) {
    __fencepost_mutex_fence();
    __fencepost_misuse(__fencepost_leave(&l->state) != 0, "pthread_rwlock_unlock: nobody holds the lock");
    __fencepost_mutex_fence();
    return 0;
}

void __fencepost_unused_barrier(struct __fencepost_barrier *b) {
    __fencepost_misuse(__fencepost_get(&b->needed) == 0, "a barrier is initialised that is initialised already");
}

int pthread_barrier_init(struct __fencepost_barrier *b, const void *attr, unsigned int needed) {
    /* EINVAL is 22. */
    if (needed == 0) return 22;
    __fencepost_set(&b->needed, needed);
    __fencepost_set(&b->state, 0);
    return 0;
}

int pthread_barrier_destroy(struct __fencepost_barrier *b) {
    __fencepost_misuse(__fencepost_get(&b->needed) != 0, "pthread_barrier_destroy: the barrier is not initialised");
    __fencepost_set(&b->needed, 0);
    return 0;
}

/* The last one to come begins the next round and goes on at once; the others wait until the round has changed. */
int pthread_barrier_wait(struct __fencepost_barrier *b) {
    unsigned int needed = __fencepost_get(&b->needed);
    unsigned int old = 0;
    int result = 0;
    __fencepost_misuse(needed != 0, "pthread_barrier_wait: the barrier is not initialised");
    __fencepost_fence();
    old = __fencepost_arrive(&b->state, needed);
    if ((old & 65535u) + 1 == needed) {
        /* PTHREAD_BARRIER_SERIAL_THREAD. */
        result = -1;
    } else {
        __fencepost_wait((__fencepost_see(&b->state) >> 16) != (old >> 16));
    }
    __fencepost_fence();
    return result;
}

int sem_init(struct __fencepost_sem *s, int shared, unsigned int value) {
    if (value > 2147483647u) {
        /* EINVAL. */
        *__errno_location() = 22;
        return -1;
    }
    __fencepost_set(&s->value, value);
    return 0;
}

int sem_destroy(struct __fencepost_sem *s) { return 0; }

int sem_wait(struct __fencepost_sem *s) {
    __fencepost_mutex_fence();
    __fencepost_wait(__fencepost_take(&s->value) != 0);
    __fencepost_mutex_fence();
    return 0;
}

int sem_trywait(struct __fencepost_sem *s) {
    unsigned int old = 0;
    __fencepost_mutex_fence();
    old = __fencepost_try_take(&s->value);
    __fencepost_mutex_fence();
    if (old) return 0;
    /* EAGAIN. */
    *__errno_location() = 11;
    return -1;
}

int sem_timedwait(struct __fencepost_sem *s, const void *until) {
    int result = sem_trywait(s);
    /* ETIMEDOUT. */
    if (result) *__errno_location() = 110;
    return result;
}

int sem_post(struct __fencepost_sem *s) {
    unsigned int old = 0;
    __fencepost_mutex_fence();
    old = __fencepost_give(&s->value);
    __fencepost_mutex_fence();
    if (old != 2147483647u) return 0;
    /* EOVERFLOW. */
    *__errno_location() = 75;
    return -1;
}

int sem_getvalue(struct __fencepost_sem *s, int *value) {
    *value = (int)__fencepost_get(&s->value);
    return 0;
}
