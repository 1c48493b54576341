/* Functions of the library that are called through pointers, and what is stored through arguments that are `void *`. Handlers for the end of a
 * thread are called where they are taken off.
 * @expect sc: SAFE
 * @expect -DN=1 sc: UNSAFE
 * @expect -DN=2 sc: UNSAFE
 * @expect -DN=3 sc: UNSAFE
 * @expect -DN=4 sc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#ifndef N
#define N 0
#endif
#define CHECK(number, condition) assert((N == number) != (condition))

static int twice(int (*f)(int), int x) { return f(f(x)); }
static int call(int (*f)(void)) { return f(); }
static void *same(void *arg) { return arg; }

static int handled;
static void handler(void *arg) { handled += (int)(long)arg; }

int main(void)
{
    CHECK(1, twice(abs, -3) == 3 && call(sched_yield) == 0);
    pthread_t thread;
    void *result, *out = &result;
    pthread_create(&thread, 0, same, &thread);
    pthread_join(thread, out);
    CHECK(2, result == &thread);
    pthread_cleanup_push(handler, (void *)3);
    CHECK(3, handled == 0);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(handler, (void *)4);
    pthread_cleanup_pop(0);
    pthread_mutexattr_t attributes;
    int protocol = -1, shared = -1;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_getprotocol(&attributes, &protocol);
    pthread_mutexattr_getpshared(&attributes, &shared);
    CHECK(4, handled == 3 && protocol == PTHREAD_PRIO_INHERIT && shared == PTHREAD_PROCESS_PRIVATE);
    return 0;
}
