/* Store buffering with a locked instruction between write and read whose operand nobody else uses: a local one, one on the heap, a
 * counter of the thread's own. It is a fence all the same on x86 and SPARC. Without an order it is none on Power.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect x86tso: SAFE
 * @expect pso: SAFE
 * @expect ppc: UNSAFE
 * @expect -DHEAP sc: SAFE; tso: SAFE; x86tso: SAFE; pso: SAFE
 * @expect -DCOUNTER sc: SAFE; tso: SAFE; x86tso: SAFE; pso: SAFE
 * @expect -DPLAIN tso: UNSAFE; x86tso: UNSAFE; pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int x, y, r0, r1;
atomic_int counters[2];

static void barrier(int who)
{
#if defined HEAP
    atomic_int *own = malloc(sizeof *own);
    atomic_init(own, 0);
    atomic_fetch_add_explicit(own, 1, memory_order_relaxed);
#elif defined COUNTER
    atomic_fetch_add_explicit(&counters[who], 1, memory_order_relaxed);
#elif defined PLAIN
    int own = 0, *place = &own;
    *place += who;
#else
    atomic_int own = 0;
    atomic_exchange_explicit(&own, who, memory_order_relaxed);
#endif
}

static void *left(void *unused)
{
    x = 1;
    barrier(0);
    r0 = y;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, left, NULL);
    y = 1;
    barrier(1);
    r1 = x;
    pthread_join(thread, NULL);
    assert(r0 || r1);
    return 0;
}
