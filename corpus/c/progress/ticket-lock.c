/* A ticket lock. With -DBROKEN the thread that leaves takes the next ticket's number from a copy that it read before it had the lock: both
 * threads write the same number, and the third one waits for ever.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE
 * @options --property progress
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int next, serving;

static void *worker(void *unused)
{
    (void)unused;
#ifdef BROKEN
    int before = atomic_load(&serving);
#endif
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine)
        ;
#ifdef BROKEN
    atomic_store(&serving, before + 1);
#else
    atomic_store(&serving, mine + 1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
