/* The threads of C11: mutexes, results, call_once, thread_local.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRACY sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

mtx_t lock;
once_flag flag = ONCE_FLAG_INIT;
int counter;
atomic_int calls;
thread_local int own = 5;

static void init(void)
{
    atomic_fetch_add(&calls, 1);
}

static int work(void *arg)
{
    int n = *(int *)arg;
    call_once(&flag, init);
    own += n;
#ifndef RACY
    mtx_lock(&lock);
#endif
    counter += n;
#ifndef RACY
    mtx_unlock(&lock);
#endif
    return own;
}

int main(void)
{
    thrd_t a, b;
    int one = 1, two = 2, first, second;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(thrd_create(&a, work, &one) == thrd_success);
    assert(thrd_create(&b, work, &two) == thrd_success);
    thrd_join(a, &first);
    thrd_join(b, &second);
    assert(first == 6 && second == 7 && own == 5 && calls == 1);
    assert(counter == 3);
    mtx_destroy(&lock);
    return 0;
}
