/* The kernel's primitives: message passing by smp_wmb and smp_rmb is right but on power, where they are lwsyncs (see
 * SOUNDNESS.md); by READ_ONCE and WRITE_ONCE alone it is not.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 * @expect -DONCE sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

int data, flag;

static void *sender(void *unused)
{
    WRITE_ONCE(data, 1);
#ifndef ONCE
    smp_wmb();
#endif
    WRITE_ONCE(flag, 1);
    return NULL;
}

static void *receiver(void *unused)
{
    if (READ_ONCE(flag)) {
#ifndef ONCE
        smp_rmb();
#endif
        assert(READ_ONCE(data) == 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
