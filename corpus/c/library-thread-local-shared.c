/* The address of a thread-local variable given to another thread: it is a location like any other, and its writes
 * are delayed like any other's.
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

_Thread_local int mine;
int y;
int r0, r1;

static void *other(void *arg)
{
    int *theirs = arg;
    y = 1;
    fence();
    r1 = *theirs;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, &mine);
    mine = 1;
    fence();
    r0 = y;
    pthread_join(thread, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
