/* Peterson's algorithm with acquire and release, and with the sequentially consistent accesses that it was made for.
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
atomic_int wants0, wants1, turn;

void *first(void *unused) {
    atomic_store_explicit(&wants0, 1, WRITE);
    atomic_store_explicit(&turn, 1, WRITE);
    while (atomic_load_explicit(&wants1, READ) && atomic_load_explicit(&turn, READ) == 1) {
    }
    shared = 1;
    atomic_store_explicit(&wants0, 0, WRITE);
    return 0;
}

void *second(void *unused) {
    atomic_store_explicit(&wants1, 1, WRITE);
    atomic_store_explicit(&turn, 0, WRITE);
    while (atomic_load_explicit(&wants0, READ) && atomic_load_explicit(&turn, READ) == 0) {
    }
    shared = 2;
    atomic_store_explicit(&wants1, 0, WRITE);
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
