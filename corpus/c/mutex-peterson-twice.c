/* Peterson's mutual exclusion, two entries for each thread, with fences. Exclusion holds over repeated entries.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#define fence() __sync_synchronize()

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
    for (int round = 0; round < 2; round++) {
        flag[me] = 1;
        fence();
        turn = other;
        fence();
        while (flag[other] && turn == other)
            ;
        fence();
        critical_section(me);
        fence();
        flag[me] = 0;
    }
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
