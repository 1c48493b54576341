/* Conditions of C11, and thread-specific storage.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DSKIP sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <threads.h>

mtx_t lock;
cnd_t ready;
tss_t own;
int stage;

static int wait_for_it(void *unused)
{
    int here = 1;
    tss_set(own, &here);
    mtx_lock(&lock);
#ifndef SKIP
    while (stage == 0)
        cnd_wait(&ready, &lock);
#endif
    assert(stage == 1);
    mtx_unlock(&lock);
    assert(*(int *)tss_get(own) == 1);
    return 3;
}

int main(void)
{
    thrd_t t;
    int result;
    mtx_init(&lock, mtx_plain);
    cnd_init(&ready);
    tss_create(&own, NULL);
    thrd_create(&t, wait_for_it, NULL);
    mtx_lock(&lock);
    stage = 1;
    cnd_signal(&ready);
    mtx_unlock(&lock);
    thrd_join(t, &result);
    assert(result == 3 && tss_get(own) == NULL);
    return 0;
}
