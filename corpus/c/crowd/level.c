/* Each thread raises the level by one, up to three: with as many threads as LIMIT it is too high. No two or three threads
 * show that for larger limits.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect -DLIMIT=2 sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 * @expect -DLIMIT=3 sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 * @expect -DLIMIT=4 sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifndef LIMIT
#define LIMIT 7
#endif

int level;

static void *work(void *arg)
{
    for (int old = 0; old < 6; old++)
        if (__sync_bool_compare_and_swap(&level, old, old + 1))
            break;
    assert(level < LIMIT);
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
