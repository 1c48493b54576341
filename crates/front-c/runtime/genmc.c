/*
 * What GenMC's header offers beyond threads. Memory that is retired is never given back, so a hazard pointer has
 * nothing to guard.
 */

struct __fencepost_hazard {
    void *guarded;
};

struct __fencepost_hazard *__VERIFIER_hp_alloc(void) {
    struct __fencepost_hazard *made = malloc(sizeof(struct __fencepost_hazard));
    made->guarded = 0;
    return made;
}

struct __VERIFIER_plock {
    struct __fencepost_mutex lock;
};

int __VERIFIER_plock_lock(struct __VERIFIER_plock *l) { return pthread_mutex_lock(&l->lock); }

int __VERIFIER_plock_unlock(struct __VERIFIER_plock *l) { return pthread_mutex_unlock(&l->lock); }
