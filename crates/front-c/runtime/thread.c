/*
 * What belongs to one thread: running something once, data by key. Starting, joining and ending threads are
 * builtins; see src/builtins/threads.rs.
 */

/* The threads that were joined or detached, by their handles: nobody may join them any more. */
static unsigned char __fencepost_gone[1024];

static void __fencepost_ends(unsigned long thread) {
    __fencepost_limit(thread < 1024, "more than 1,023 threads, one of which is joined or detached");
    __fencepost_misuse(!__fencepost_get(&__fencepost_gone[thread]), "the thread was joined or detached before");
    __fencepost_set(&__fencepost_gone[thread], 1);
}

/* Handles are small numbers, and 0 is none. */
static void __fencepost_handle(unsigned long thread) {
    __fencepost_misuse(thread != 0 && thread < 1048576ul, "this is not the handle of a thread");
}

void __fencepost_joins(unsigned long thread) {
    __fencepost_handle(thread);
    __fencepost_misuse(thread != __fencepost_self(), "pthread_join: a thread joins itself");
    __fencepost_ends(thread);
}

void __fencepost_detaches(unsigned long thread) {
    __fencepost_handle(thread);
    __fencepost_ends(thread);
}

/* What is asked of an attribute that may be anywhere. */
int __fencepost_detached(const int *attributes) { return attributes ? *attributes : 0; }

/* Threads are joinable unless somebody calls this. */
int __fencepost_detach_state(int state) { return state; }

/* A thread ends before its function does. If it is the one of main, the program goes on until the others have ended. */
void __fencepost_leaves(void) {
    __fencepost_limit(__fencepost_self() != 1, "main ends by pthread_exit, and memory that is left then is asked for");
}

/* 0: nobody has come; 1: somebody runs it; 2: done, which is seen by a read alone. */
int pthread_once(int *once, void (*run)(void)) {
    int old = 0;
    if (__fencepost_see(once) == 2) return 0;
    __fencepost_mutex_fence();
    old = __fencepost_acquire_if(once, 0, 1);
    if (old == 0) {
        run();
        __fencepost_mutex_fence();
        __fencepost_show(once, 2);
    } else if (old == 1) {
        __fencepost_wait(__fencepost_see(once) == 2);
    }
    __fencepost_mutex_fence();
    return 0;
}

static unsigned int __fencepost_next_key;
static _Thread_local void *__fencepost_slots[8];

unsigned int __fencepost_new_key(void) {
    unsigned int mine = __fencepost_add(&__fencepost_next_key, 1);
    __fencepost_limit(mine < 8, "more than 8 keys of thread-specific data");
    return mine;
}

/* What is called with the value of each key when a thread ends. */
static void (*__fencepost_destructors[8])(void *);

unsigned int __fencepost_new_key_with(void (*destructor)(void *)) {
    unsigned int mine = __fencepost_new_key();
    __fencepost_set(&__fencepost_destructors[mine], destructor);
    return mine;
}

/* A destructor may give keys new values: POSIX lets an implementation go through them four times at least. */
void __fencepost_destroys(void) {
    for (unsigned int round = 0; round < 4; round++) {
        int called = 0;
        for (unsigned int key = 0; key < 8; key++) {
            void *value = __fencepost_slots[key];
            if (value == (void *)0) continue;
            void (*destructor)(void *) = __fencepost_get(&__fencepost_destructors[key]);
            if (destructor == (void (*)(void *))0) continue;
            __fencepost_slots[key] = (void *)0;
            destructor(value);
            called = 1;
        }
        if (!called) return;
    }
}

int pthread_key_delete(unsigned int key) {
    __fencepost_set(&__fencepost_destructors[key & 7u], (void (*)(void *))0);
    return 0;
}

int pthread_setspecific(unsigned int key, const void *value) {
    __fencepost_slots[key & 7u] = (void *)value;
    return 0;
}

void *pthread_getspecific(unsigned int key) { return __fencepost_slots[key & 7u]; }

/* Only those functions set it whose manual says so and that can fail here. */
static _Thread_local int __fencepost_errno;

int *__errno_location(void) { return &__fencepost_errno; }
