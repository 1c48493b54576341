/* A test-and-set lock of GCC's older builtins: lock_test_and_set acquires, lock_release releases. As with acquire
 * and release, only this model of power lets the counter lose an update.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE (unwind 4)
 * @expect alpha: SAFE (unwind 4)
 * @expect power-frame: UNSAFE
 * @options --unwind 4
 */
#include <assert.h>
#include <pthread.h>

int lock;
int counter;

static void *worker(void *arg)
{
    while (__sync_lock_test_and_set(&lock, 1))
        ;
    counter = counter + 1;
    __sync_lock_release(&lock);
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
