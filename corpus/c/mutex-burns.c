/* Burns's mutual exclusion with one bit for each thread: the first insists, the second gives way. A full fence
 * after raising the flag is enough on tso.
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
int cs;

static void critical_section(int me)
{
    cs = me;
    assert(cs == me);
}

static void *insists(void *unused)
{
    flag[0] = 1;
    store_load_fence();
    while (flag[1])
        ;
    fence();
    critical_section(0);
    fence();
    flag[0] = 0;
    return NULL;
}

static void *gives_way(void *unused)
{
    do {
        flag[1] = 0;
        while (flag[0])
            ;
        flag[1] = 1;
        store_load_fence();
    } while (flag[0]);
    fence();
    critical_section(1);
    fence();
    flag[1] = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, insists, NULL);
    pthread_create(&b, NULL, gives_way, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
