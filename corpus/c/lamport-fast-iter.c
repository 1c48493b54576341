/* Lamport's fast mutual exclusion, ITER entries for each of two processes: mutex-lamport-fast.c, to measure
 * with. A process may have to begin again as often as the other one enters.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DITER=2 sc: SAFE; tso: UNSAFE
 * @expect -DITER=2 -DFENCE tso: SAFE; pso: SAFE
 * @expect -DITER=3 sc: SAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @options --unwind 3
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

#ifndef ITER
#define ITER 1
#endif

int wants[3];
int x, y;
int cs;

static void enter(int me)
{
    int other = 3 - me;
start:
    wants[me] = 1;
    fence();
    x = me;
    fence();
    if (y != 0) {
        fence();
        wants[me] = 0;
        fence();
        while (y != 0)
            ;
        fence();
        goto start;
    }
    fence();
    y = me;
    fence();
    if (x != me) {
        fence();
        wants[me] = 0;
        fence();
        while (wants[other])
            ;
        fence();
        if (y != me) {
            while (y != 0)
                ;
            fence();
            goto start;
        }
    }
    fence();
    cs = me;
    assert(cs == me);
    fence();
    y = 0;
    fence();
    wants[me] = 0;
    fence();
}

static void *process(void *arg)
{
    for (int i = 0; i < ITER; i++)
        enter((int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, process, (void *)1L);
    pthread_create(&b, NULL, process, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
