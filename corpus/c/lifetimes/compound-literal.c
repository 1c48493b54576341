/* A compound literal lives as long as the block that it stands in; the branch of an `if` without braces is a block too. With -DAFTER one is used
 * behind its block, with -DBRANCH one behind its branch, with -DKEPT one of an earlier round of a loop by another thread.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE; rc11: SAFE
 * @expect -DAFTER sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DBRANCH sc: UNSAFE
 * @expect -DKEPT sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct work { int from, to; };

static int sum(const int *numbers, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++) all += numbers[i];
    return all;
}

static void *worker(void *argument)
{
    struct work *work = argument;
    work->to = work->from + 1;
    return NULL;
}

int main(void)
{
    int *kept = NULL;
    {
        kept = (int[]){ 1, 2, 3 };
        assert(sum(kept, 3) == 6);
    }
#ifdef AFTER
    assert(*kept == 1);
#endif
    int some = 3;
    if (sum((int[]){ 1, 2 }, 2) == some) kept = &(int){ 5 };
#ifdef BRANCH
    assert(*kept == 5);
#endif
    while (some > 0 && sum((int[]){ some, 1 }, 2) > 2) some--;
    assert(some == 1);
    pthread_t thread;
    for (int round = 0; round < 2; round++) {
        struct work *work = round ? &(struct work){ 1, 0 } : &(struct work){ .from = 2 };
        pthread_create(&thread, NULL, worker, work);
#ifdef KEPT
        if (round == 0) continue;
#endif
        pthread_join(thread, NULL);
        assert(work->to == work->from + 1);
    }
    return 0;
}
