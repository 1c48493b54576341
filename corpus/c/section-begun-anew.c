/* On one path an atomic section ends and another one begins: between the two reads somebody may write.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int x;

static void *write(void *unused)
{
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    int again = __VERIFIER_nondet_int();
    pthread_create(&thread, 0, write, 0);
    __VERIFIER_atomic_begin();
    int before = x;
    if (again) {
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin();
    }
    int after = x;
    __VERIFIER_atomic_end();
    assert(before == after);
    return 0;
}
