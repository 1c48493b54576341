/* Dijkstra's mutual exclusion for two threads: first get the turn, then claim the section and look whether anybody
 * else does. The claim must not wait while the other's is read.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE (unwind 2); alpha: SAFE (unwind 2); power-frame: SAFE (unwind 2)
 * @options --unwind 2
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int wants[2];
int claims[2];
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
    wants[me] = 1;
    fence();
    do {
        claims[me] = 0;
        fence();
        int whose = turn;
        while (whose != me) {
            fence();
            if (!wants[whose]) {
                fence();
                turn = me;
            }
            fence();
            whose = turn;
        }
        fence();
        claims[me] = 1;
        fence();
    } while (claims[other]);
    fence();
    critical_section(me);
    fence();
    claims[me] = 0;
    fence();
    wants[me] = 0;
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
