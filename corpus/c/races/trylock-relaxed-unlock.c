/* A lock that is tried and given back with memory_order_relaxed: two critical sections never overlap, and still race.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DORDER=memory_order_release rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

int shared;
atomic_flag lock = ATOMIC_FLAG_INIT;

void *worker(void *unused) {
    if (!atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
        shared++;
        atomic_flag_clear_explicit(&lock, ORDER);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
