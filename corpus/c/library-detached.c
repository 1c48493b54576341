/* A detached thread may or may not have run when main looks.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DHOPEFUL sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int done;

static void *worker(void *unused)
{
    done = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_detach(thread);
    int seen = done;
#ifdef HOPEFUL
    assert(seen == 1);
#else
    assert(seen == 0 || seen == 1);
#endif
    return 0;
}
