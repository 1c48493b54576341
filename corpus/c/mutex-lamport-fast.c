/* Lamport's fast mutual exclusion: two writes and two reads where nobody else wants in. The write of x must not
 * wait while y is read, nor the write of y while x is read.
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

int wants[3];
int x, y;
int cs;

static void critical_section(int me)
{
    cs = me;
    assert(cs == me);
}

static void *process(void *arg)
{
    int me = (int)(long)arg;
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
            fence();
            while (y != 0)
                ;
            fence();
            goto start;
        }
    }
    fence();
    critical_section(me);
    fence();
    y = 0;
    fence();
    wants[me] = 0;
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
