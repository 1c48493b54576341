/* Two readers see two writes in different orders (IRIW), and both believe that they alone may write.
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
atomic_int x, y;

void *writes_x(void *unused) {
    atomic_store_explicit(&x, 1, WRITE);
    return 0;
}

void *writes_y(void *unused) {
    atomic_store_explicit(&y, 1, WRITE);
    return 0;
}

void *first(void *unused) {
    if (atomic_load_explicit(&x, READ) && !atomic_load_explicit(&y, READ)) shared = 1;
    return 0;
}

void *second(void *unused) {
    if (atomic_load_explicit(&y, READ) && !atomic_load_explicit(&x, READ)) shared = 2;
    return 0;
}

int main(void) {
    pthread_t a, b, c, d;
    pthread_create(&a, 0, writes_x, 0);
    pthread_create(&b, 0, writes_y, 0);
    pthread_create(&c, 0, first, 0);
    pthread_create(&d, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    pthread_join(d, 0);
    return 0;
}
