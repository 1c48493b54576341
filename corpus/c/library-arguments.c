/* Arguments are evaluated even if nobody looks at their values, and rand_r changes its state.
 * @expect sc: SAFE
 * @expect -DSTATE sc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *arg) { return arg; }

int main(void)
{
    struct timespec times[2] = { { 0, 0 }, { 0, 0 } };
    pthread_attr_t *none[2] = { NULL, NULL };
    unsigned state = 1;
    int i = 0, j = 0, k = 0, l = 0;
    pthread_t thread;
    nanosleep(&times[i++], NULL);
    clock_gettime(j++, &times[1]);
    pthread_create(&thread, none[k++], work, NULL);
    pthread_join(thread, NULL);
    __builtin_prefetch(&times[l++]);
    assert(i == 1 && j == 1 && k == 1 && l == 1);
#ifdef STATE
    rand_r(&state);
    assert(state == 1);
#endif
    return 0;
}
