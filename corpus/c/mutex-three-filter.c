/* The filter lock for three threads, one entry each: two levels, at each of which one thread stays behind. With
 * full fences between all accesses it is safe everywhere, without them nowhere but on sc.
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

int level[3];
int last[3];
int cs = -1;

static void critical_section(int me)
{
    cs = me;
    assert(cs == me);
}

static int somebody_else_at(int me, int at)
{
    int found = 0;
    for (int other = 0; other < 3; other++) {
        if (other == me)
            continue;
        if (level[other] >= at)
            found = 1;
        fence();
    }
    return found;
}

static void *process(void *arg)
{
    int me = (int)(long)arg;
    for (int at = 1; at < 3; at++) {
        level[me] = at;
        fence();
        last[at] = me;
        fence();
        while (somebody_else_at(me, at) && last[at] == me)
            ;
        fence();
    }
    critical_section(me);
    fence();
    level[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, process, (void *)0L);
    pthread_create(&b, NULL, process, (void *)1L);
    pthread_create(&c, NULL, process, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
