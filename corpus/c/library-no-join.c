/* Main reads what a thread writes without waiting for it. Only with the join is it sure to be there.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DJOIN sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int result;

static void *worker(void *unused)
{
    result = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
    assert(result == 1);
    return 0;
}
