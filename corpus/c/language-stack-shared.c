/* Store buffering between variables on the stack of main, given to the threads by pointers. They are shared memory
 * like any other.
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

struct places {
    int *mine, *theirs;
    int seen;
};

static void *worker(void *arg)
{
    struct places *places = arg;
    *places->mine = 1;
    fence();
    places->seen = *places->theirs;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 0, y = 0;
    struct places left = { &x, &y, 0 }, right = { &y, &x, 0 };
    pthread_create(&a, NULL, worker, &left);
    pthread_create(&b, NULL, worker, &right);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(left.seen == 1 || right.seen == 1);
    return 0;
}
