/* Data is published by a flag that is written with memory_order_relaxed: nothing orders the write of the data and its read,
 * although no run in which threads take turns shows it.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DORDER=memory_order_release rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

int data;
atomic_int flag;

void *producer(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, ORDER);
    return 0;
}

void *consumer(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire)) data++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
