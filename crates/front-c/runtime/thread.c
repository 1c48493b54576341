/*
 * What belongs to one thread: running something once, data by key. Starting, joining and ending threads are
 * builtins; see src/builtins/threads.rs.
 */

/* 0: nobody has come; 1: somebody runs it; 2: done. */
int pthread_once(int *once, void (*run)(void)) {
    int old = 0;
    __fencepost_fence();
    old = __fencepost_swap_if(once, 0, 1);
    if (old == 0) {
        run();
        __fencepost_fence();
        __fencepost_show(once, 2);
    } else if (old == 1) {
        __fencepost_wait(__fencepost_see(once) == 2);
    }
    __fencepost_fence();
    return 0;
}

static unsigned int __fencepost_next_key;
static _Thread_local void *__fencepost_slots[8];

unsigned int __fencepost_new_key(void) {
    unsigned int mine = __fencepost_add(&__fencepost_next_key, 1);
    __fencepost_limit(mine < 8, "more than 8 keys of thread-specific data");
    return mine;
}

int pthread_key_delete(unsigned int key) { return 0; }

int pthread_setspecific(unsigned int key, const void *value) {
    __fencepost_slots[key & 7u] = (void *)value;
    return 0;
}

void *pthread_getspecific(unsigned int key) { return __fencepost_slots[key & 7u]; }

/* Only those functions set it whose manual says so and that can fail here. */
static _Thread_local int __fencepost_errno;

int *__errno_location(void) { return &__fencepost_errno; }
