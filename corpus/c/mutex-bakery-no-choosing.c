/* The bakery without the door where tickets are chosen. Two threads take the same ticket, the one with the higher
 * number goes in while the other's ticket is not yet written: wrong even if threads take turns.
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

int number[2];
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
    int ticket = 1 + number[other];
    fence();
    number[me] = ticket;
    fence();
    int theirs;
    do {
        theirs = number[other];
    } while (theirs != 0 && (theirs < ticket || (theirs == ticket && other < me)));
    fence();
    critical_section(me);
    fence();
    number[me] = 0;
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
