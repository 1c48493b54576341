/* A spin lock that is taken with memory_order_relaxed and given back with memory_order_release.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DORDER=memory_order_acquire rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

int shared;
atomic_int lock;

void *worker(void *unused) {
    int free = 0;
    while (!atomic_compare_exchange_strong_explicit(&lock, &free, 1, ORDER, memory_order_relaxed)) free = 0;
    shared++;
    atomic_store_explicit(&lock, 0, memory_order_release);
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
