/* A thread that starts a thread like itself: engines that unwind ran out of stack.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect -DFAILS=1 sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int n;

static void *work(void *arg) {
    pthread_t t;
    if (n == 0) {
#ifdef FAILS
        n = 1;
#endif
        pthread_create(&t, 0, work, 0);
    } else {
        assert(0);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    return 0;
}
