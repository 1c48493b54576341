/* A thread waits for a flag that nobody ever sets, for one that it clears itself, or goes round without looking at anything.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DOWN sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DIDLE sc: UNSAFE
 * @expect -DSET sc: SAFE; tso: SAFE; aarch64: SAFE; rc11: SAFE
 * @options --property progress
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;

static void *waiter(void *unused)
{
#ifdef OWN
    atomic_store(&ready, 0);
#endif
#ifdef IDLE
    while (1)
        ;
#endif
    while (!atomic_load(&ready))
        ;
    return NULL;
}

int main(void)
{
    pthread_t w;
    pthread_create(&w, NULL, waiter, NULL);
#ifdef SET
    atomic_store(&ready, 1);
#endif
    pthread_join(w, NULL);
    return 0;
}
