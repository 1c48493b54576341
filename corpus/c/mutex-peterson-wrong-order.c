/* Peterson's mutual exclusion with the first two writes exchanged: the turn is given away before the flag is
 * raised. Wrong even if threads take turns, and no fence helps.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
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
    turn = other;
    fence();
    flag[me] = 1;
    fence();
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
