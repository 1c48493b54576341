/* The latch of PostgreSQL's workers: set a flag and then the other's latch; wake, reset the latch and look at the
 * flag. Power showed the latch before the flag, and so may every model that reorders writes; two fences mend it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int latch[2] = { 1, 0 };
int flag[2] = { 1, 0 };

static void set_latch(int whose)
{
    fence();
    latch[whose] = 1;
}

static void wait_latch(int mine)
{
    while (!latch[mine])
        ;
    latch[mine] = 0;
    fence();
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    int other = 1 - me;
    for (int round = 0; round < 2; round++) {
        wait_latch(me);
        assert(flag[me]);
        flag[me] = 0;
        flag[other] = 1;
        set_latch(other);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
