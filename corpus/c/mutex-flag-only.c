/* Each thread raises a flag and goes in if the other has not raised its own; otherwise it goes away. Nobody waits,
 * so this is store buffering around a critical section.
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

static void *process(void *arg)
{
    int me = (int)(long)arg;
    int other = 1 - me;
    flag[me] = 1;
    store_load_fence();
    if (!flag[other]) {
        fence();
        critical_section(me);
        fence();
    }
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
