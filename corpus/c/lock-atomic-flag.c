/* A lock of C11's atomic_flag with its default order, sequentially consistent.
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

atomic_flag lock = ATOMIC_FLAG_INIT;
int counter;

static void *worker(void *arg)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    counter = counter + 1;
    atomic_flag_clear(&lock);
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
