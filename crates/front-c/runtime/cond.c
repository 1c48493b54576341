/*
 * Condition variables. A waiting thread sets its bit, gives the mutex back, waits until its bit is gone, and takes
 * the mutex again. A signal clears any one bit that is set, a broadcast all of them. So a signal that comes before
 * the wait is lost (a read sees that nobody waits, and orders nothing), and a waiter never takes a signal that came before it. That a wait may also end for no reason is
 * decided where it is called; see src/builtins/threads.rs.
 *
 * There are 32 bits: threads with a handle above 32 cannot wait here, and a program that tries is told so.
 */

static unsigned int __fencepost_bit(void) {
    unsigned long self = __fencepost_self();
    __fencepost_limit(self <= 32, "more than 32 threads, one of which waits for a condition variable");
    return 1u << (unsigned int)(self - 1);
}

int pthread_cond_init(struct __fencepost_cond *c, const void *attr) {
    __fencepost_set(&c->waiting, 0);
    return 0;
}

int pthread_cond_destroy(struct __fencepost_cond *c) { return 0; }

int pthread_cond_wait(struct __fencepost_cond *c, struct __fencepost_mutex *m) {
    unsigned int bit = __fencepost_bit();
    __fencepost_fence();
    __fencepost_or(&c->waiting, bit);
    pthread_mutex_unlock(m);
    __fencepost_wait((__fencepost_see(&c->waiting) & bit) == 0);
    pthread_mutex_lock(m);
    return 0;
}

/* ETIMEDOUT is 110. The time may be over at any moment; whether a signal came first is decided by the bit. A wait that is not over
   may end for no reason. */
int pthread_cond_timedwait(struct __fencepost_cond *c, struct __fencepost_mutex *m, const void *until) {
    unsigned int bit = __fencepost_bit();
    int result = 0;
    __fencepost_fence();
    __fencepost_or(&c->waiting, bit);
    pthread_mutex_unlock(m);
    if ((__fencepost_and(&c->waiting, ~bit) & bit) && __fencepost_choice()) result = 110;
    pthread_mutex_lock(m);
    return result;
}

int pthread_cond_clockwait(struct __fencepost_cond *c, struct __fencepost_mutex *m, int clock, const void *until) {
    return pthread_cond_timedwait(c, m, until);
}

int pthread_cond_signal(struct __fencepost_cond *c) {
    unsigned int one = 1u << (__fencepost_number() & 31u);
    unsigned int old = 0;
    if (__fencepost_get(&c->waiting) == 0) return 0;
    __fencepost_mutex_fence();
    old = __fencepost_and(&c->waiting, ~one);
    __fencepost_assume((old == 0) | ((old & one) != 0));
    __fencepost_mutex_fence();
    return 0;
}

int pthread_cond_broadcast(struct __fencepost_cond *c) {
    if (__fencepost_get(&c->waiting) == 0) return 0;
    __fencepost_mutex_fence();
    __fencepost_show(&c->waiting, 0);
    __fencepost_mutex_fence();
    return 0;
}
