/* A lock that is taken by a compare-and-swap, weak or strong, in a loop. With -DFORGET one path leaves without unlocking.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DWEAK sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DFORGET sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DFORGET -DWEAK sc: UNSAFE; tso: UNSAFE
 * @options --property progress
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define SWAP atomic_compare_exchange_weak
#else
#define SWAP atomic_compare_exchange_strong
#endif

static atomic_int lock;
static int shared;

static void *worker(void *unused)
{
    (void)unused;
    int expected = 0;
    while (!SWAP(&lock, &expected, 1))
        expected = 0;
    shared++;
#ifdef FORGET
    if (shared == 1)
        return NULL;
#endif
    atomic_store(&lock, 0);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
