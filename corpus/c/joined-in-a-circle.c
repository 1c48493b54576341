/* Two threads that join each other: main waits for the thread that it has started, and that one waits for main. What stands before the joins
 * takes place all the same, and what stands behind them does not.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DBEHIND sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x;

static void *other(void *arg)
{
    pthread_t first = *(pthread_t *)arg;
#ifndef BEHIND
    assert(x == 0);
#endif
    pthread_join(first, 0);
    return 0;
}

int main(void)
{
    pthread_t thread, self = pthread_self();
    pthread_create(&thread, 0, other, &self);
    x = 1;
    pthread_join(thread, 0);
#ifdef BEHIND
    assert(0);
#endif
    return 0;
}
