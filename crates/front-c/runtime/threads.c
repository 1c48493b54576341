/*
 * The threads of C11, on top of those of POSIX. Results: thrd_success is 0, thrd_busy 1, thrd_error 2,
 * thrd_timedout 4; of the kinds of mutexes only mtx_recursive (1) matters.
 */

struct __fencepost_start {
    int (*run)(void *);
    void *arg;
};

static void *__fencepost_run(void *start) {
    int (*run)(void *) = ((struct __fencepost_start *)start)->run;
    void *arg = ((struct __fencepost_start *)start)->arg;
    return (void *)(long)run(arg);
}

int thrd_create(unsigned long *thread, int (*run)(void *), void *arg) {
    struct __fencepost_start *start = (struct __fencepost_start *)__fencepost_block(sizeof(struct __fencepost_start));
    start->run = run;
    start->arg = arg;
    pthread_create(thread, (void *)0, __fencepost_run, start);
    return 0;
}

int thrd_join(unsigned long thread, int *result) {
    void *value = (void *)0;
    pthread_join(thread, &value);
    if (result) *result = (int)(long)value;
    return 0;
}

void thrd_exit(int result) { pthread_exit((void *)(long)result); }

int mtx_init(struct __fencepost_mutex *m, int kind) {
    __fencepost_set(&m->lock, 0);
    __fencepost_set(&m->kind, kind & 1);
    if (kind & 1) {
        __fencepost_set(&m->owner, 0);
        __fencepost_set(&m->count, 0);
    }
    return 0;
}

void mtx_destroy(struct __fencepost_mutex *m) { pthread_mutex_destroy(m); }

int mtx_lock(struct __fencepost_mutex *m) { return pthread_mutex_lock(m); }

int mtx_trylock(struct __fencepost_mutex *m) {
    if (pthread_mutex_trylock(m) == 0) return 0;
    return 1;
}

int mtx_timedlock(struct __fencepost_mutex *m, const void *until) {
    if (pthread_mutex_timedlock(m, until) == 0) return 0;
    return 4;
}

int mtx_unlock(struct __fencepost_mutex *m) { return pthread_mutex_unlock(m); }

int cnd_init(struct __fencepost_cond *c) { return pthread_cond_init(c, (void *)0); }

void cnd_destroy(struct __fencepost_cond *c) {}

int cnd_wait(struct __fencepost_cond *c, struct __fencepost_mutex *m) { return pthread_cond_wait(c, m); }

int cnd_timedwait(struct __fencepost_cond *c, struct __fencepost_mutex *m, const void *until) {
    if (pthread_cond_timedwait(c, m, until) == 0) return 0;
    return 4;
}

int cnd_signal(struct __fencepost_cond *c) { return pthread_cond_signal(c); }

int cnd_broadcast(struct __fencepost_cond *c) { return pthread_cond_broadcast(c); }

void call_once(struct __fencepost_once *once, void (*run)(void)) { pthread_once(&once->state, run); }

void tss_delete(unsigned int key) { pthread_key_delete(key); }

int tss_set(unsigned int key, void *value) { return pthread_setspecific(key, value); }

void *tss_get(unsigned int key) { return pthread_getspecific(key); }
