/* A lock that first reads until it looks free and only then exchanges. Sequentially consistent atomics, so it is
 * safe everywhere.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int counter;

static void *worker(void *arg)
{
    do {
        while (atomic_load(&lock))
            ;
    } while (atomic_exchange(&lock, 1));
    counter = counter + 1;
    atomic_store(&lock, 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
