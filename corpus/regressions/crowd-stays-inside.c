/* Any number of threads that enter a critical section and never leave it: `coherence` said SAFE. The unknown value keeps it
 * from telling the threads apart.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 */
#include <fencepost.h>
#include <pthread.h>

int anything;
int __VERIFIER_nondet_int(void);

static void *work(void *arg) {
    anything = __VERIFIER_nondet_int();
    FP_CRITICAL_BEGIN();
    while (1) {
    }
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, work, 0);
    return 0;
}
