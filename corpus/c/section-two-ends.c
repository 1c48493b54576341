/* An atomic section that is left early where somebody else was first. Nobody was: the flag is taken.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int taken, lost;

static void *take(void *unused)
{
    __VERIFIER_atomic_begin();
    if (taken) {
        __VERIFIER_atomic_end();
        lost = 1;
        return 0;
    }
    taken = 2;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, take, 0);
    pthread_join(thread, 0);
    assert(taken != 2);
    return 0;
}
