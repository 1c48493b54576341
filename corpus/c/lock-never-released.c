/* A spin lock by exchange whose release is forgotten in one thread. Whoever comes later waits for ever, but nobody
 * loses an update: safe, if not live.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE (unwind 4)
 * @expect alpha: SAFE (unwind 4)
 * @expect power-frame: SAFE (unwind 4)
 * @options --unwind 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int counter;

static void *forgets(void *unused)
{
    while (atomic_exchange(&lock, 1))
        ;
    counter = counter + 1;
    return NULL;
}

static void *waits(void *unused)
{
    while (atomic_exchange(&lock, 1))
        ;
    int before = counter;
    counter = before + 1;
    assert(counter == before + 1);
    atomic_store(&lock, 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, forgets, NULL);
    pthread_create(&b, NULL, waits, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
