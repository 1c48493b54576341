/* The work-stealing deque of Chase and Lev: the owner takes at the bottom, a thief steals at the top. Without the
 * full fence between writing bottom and reading top in take, the last two elements yield three: the known bug.
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
#include <stdatomic.h>

#ifdef FENCE
#define fence() atomic_thread_fence(memory_order_seq_cst)
#else
#define fence() ((void)0)
#endif
#define NONE (-1)

int top, bottom;
int tasks[4];
int stolen[2];

static void push(int task)
{
    tasks[bottom] = task;
    fence();
    bottom = bottom + 1;
}

static int take(void)
{
    int b = bottom - 1;
    bottom = b;
    fence();
    int t = top;
    if (t > b) {
        bottom = b + 1;
        return NONE;
    }
    int task = tasks[b];
    if (t == b) {
        if (!__sync_bool_compare_and_swap(&top, t, t + 1))
            task = NONE;
        bottom = b + 1;
    }
    return task;
}

static int steal(void)
{
    int t = top;
    fence();
    int b = bottom;
    if (t >= b)
        return NONE;
    fence();
    int task = tasks[t];
    return __sync_bool_compare_and_swap(&top, t, t + 1) ? task : NONE;
}

static void *thief(void *unused)
{
    stolen[0] = steal();
    stolen[1] = steal();
    return NULL;
}

int main(void)
{
    pthread_t other;
    push(1);
    push(2);
    pthread_create(&other, NULL, thief, NULL);
    int mine = take();
    pthread_join(other, NULL);
    assert(mine == NONE || (mine != stolen[0] && mine != stolen[1]));
    return 0;
}
