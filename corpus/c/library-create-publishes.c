/* What is written before pthread_create is seen by the new thread; what is written after it need not be.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DEAGER sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int before, after;

static void *reader(void *unused)
{
    assert(before == 1);
#ifdef EAGER
    assert(after == 1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    before = 1;
    pthread_create(&thread, NULL, reader, NULL);
    after = 1;
    pthread_join(thread, NULL);
    return 0;
}
