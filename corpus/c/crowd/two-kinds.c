/* Store buffering with two kinds of threads, any number of each: not both kinds find the flag of the other kind down.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE
 */
#include <assert.h>
#include <pthread.h>

int flag[2], first[2];

static void kind(int own)
{
    flag[own] = 1;
#ifdef FENCE
    __sync_synchronize();
#endif
    if (!flag[1 - own])
        first[own] = 1;
    assert(!first[0] || !first[1]);
}

static void *even(void *arg)
{
    kind(0);
    return arg;
}

static void *odd(void *arg)
{
    kind(1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (1) {
        pthread_create(&thread, NULL, even, NULL);
        pthread_create(&thread, NULL, odd, NULL);
    }
}
