/* A thread-local variable lives as long as its thread. With -DENDED `main` uses that of a thread which it has joined, with -DEXIT that of one which has
 * ended by `pthread_exit`, with -DNOT_JOINED it does not wait; without, the threads wait until it is done.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DENDED sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DEXIT sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DNOT_JOINED sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>

static _Thread_local int own = 1;
static _Atomic(int *) shown;
static atomic_int done;

static void leave(void)
{
    pthread_exit(NULL);
}

static void *worker(void *unused)
{
    own++;
    atomic_store(&shown, &own);
#ifdef EXIT
    leave();
#elif !defined ENDED && !defined NOT_JOINED
    while (!atomic_load(&done)) {}
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *mine = &own;
    pthread_create(&thread, NULL, worker, NULL);
#if defined ENDED || defined EXIT
    pthread_join(thread, NULL);
#endif
    int *other = atomic_load(&shown);
    if (other) assert(*other == 2);
    assert(*mine == 1);
    atomic_store(&done, 1);
#if !defined ENDED && !defined EXIT
    pthread_join(thread, NULL);
#endif
    return 0;
}
