/* Lamport's bakery for two threads, one ticket each. A ticket that waits in a buffer is not seen, and both go in.
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

int choosing[2];
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
    choosing[me] = 1;
    fence();
    int ticket = 1 + number[other];
    fence();
    number[me] = ticket;
    fence();
    choosing[me] = 0;
    fence();
    while (choosing[other])
        ;
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
