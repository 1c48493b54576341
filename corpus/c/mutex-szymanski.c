/* Szymanski's mutual exclusion for two threads, with its waiting room and two doors. All rests on flags that are
 * seen as soon as they are written.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
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
    fence();
    while (flag[other] >= 3)
        ;
    fence();
    flag[me] = 3;
    fence();
    if (flag[other] == 1) {
        fence();
        flag[me] = 2;
        fence();
        while (flag[other] != 4)
            ;
    }
    fence();
    flag[me] = 4;
    fence();
    if (me == 1) {
        while (flag[0] >= 2)
            ;
    }
    fence();
    critical_section(me);
    fence();
    if (me == 0) {
        int theirs;
        do {
            theirs = flag[1];
        } while (theirs == 2 || theirs == 3);
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
