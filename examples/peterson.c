/* Peterson's mutual exclusion for two threads. One full fence before waiting (FENCE=1) mends it on tso; where
 * writes change places the flag must also be out before the turn is given away, and the section needs fences
 * (FENCE=2).
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE=1 sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DFENCE=2 sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#if defined FENCE && FENCE >= 1
#define store_load_fence() __sync_synchronize()
#else
#define store_load_fence() ((void)0)
#endif
#if defined FENCE && FENCE >= 2
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int flag[2];
int turn;
int cs;

static void critical_section(int me)
{
    cs = me;
    assert(cs == me);
}

static void *process(void *arg)
{
    int me = (int)(long)arg;
    int other = 1 - me;
    flag[me] = 1;
    fence();
    turn = other;
    store_load_fence();
    while (flag[other] && turn == other)
        ;
    fence();
    critical_section(me);
    fence();
    flag[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, process, (void *)0L);
    pthread_create(&b, NULL, process, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
