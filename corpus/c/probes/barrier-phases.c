/* Two threads in two phases: after the barrier each sees what the other wrote before. A barrier for one holds
 * nobody.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DCOUNT=1 sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifndef COUNT
#define COUNT 2
#endif

pthread_barrier_t barrier;
int slot[2], leaders;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    slot[me] = me + 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        __sync_fetch_and_add(&leaders, 1);
    assert(slot[1 - me] == 2 - me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, COUNT);
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(leaders == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
