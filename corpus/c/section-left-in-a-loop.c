/* A loop whose iterations are atomic sections, left by `continue` in one place and by `break` in another: it counts to three.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect rmo: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int counter, lost;

static void *count(void *unused)
{
    for (int i = 0; i < 3; i++) {
        __VERIFIER_atomic_begin();
        if (counter == i) {
            counter++;
            __VERIFIER_atomic_end();
            continue;
        }
        lost = 1;
        __VERIFIER_atomic_end();
        break;
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    pthread_join(thread, 0);
    assert(counter != 3);
    return 0;
}
