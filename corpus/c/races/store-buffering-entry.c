/* Each thread raises its flag and enters if the other one has not. Acquire and release let both enter; in turns they cannot,
 * so sequentially consistent executions have no race.
 * @expect rc11: UNSAFE; sc: SAFE
 * @expect -DWRITE=memory_order_seq_cst -DREAD=memory_order_seq_cst rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef WRITE
#define WRITE memory_order_release
#define READ memory_order_acquire
#endif

int shared;
atomic_int wants[2];

void *first(void *unused) {
    atomic_store_explicit(&wants[0], 1, WRITE);
    if (!atomic_load_explicit(&wants[1], READ)) shared = 1;
    return 0;
}

void *second(void *unused) {
    atomic_store_explicit(&wants[1], 1, WRITE);
    if (!atomic_load_explicit(&wants[0], READ)) shared = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
