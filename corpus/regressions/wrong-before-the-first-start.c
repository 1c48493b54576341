/* An assertion that fails where other threads may exist but none has been started yet: `coherence` said SAFE.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int x;

static void *work(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        assert(i == 0);
        if (i == 1) pthread_create(&t, 0, work, 0);
    }
    return 0;
}
