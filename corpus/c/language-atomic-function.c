/* A function whose name begins with __VERIFIER_atomic_ is an atomic section: an exchange written by hand makes a
 * lock.
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

int lock, counter;

static int __VERIFIER_atomic_exchange(int *place, int value)
{
    int old = *place;
    *place = value;
    return old;
}

static void *count(void *unused)
{
    while (__VERIFIER_atomic_exchange(&lock, 1))
        ;
    counter++;
    __sync_synchronize();
    lock = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
