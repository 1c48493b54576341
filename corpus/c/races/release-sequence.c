/* A flag is handed on by a third thread. A relaxed write ends the release sequence of the first one, a read-modify-write does
 * not, whatever its order.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DUPDATE rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *producer(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

void *between(void *unused) {
#ifdef UPDATE
    int seen = 1;
    atomic_compare_exchange_strong_explicit(&flag, &seen, 2, memory_order_relaxed, memory_order_relaxed);
#else
    if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) atomic_store_explicit(&flag, 2, memory_order_relaxed);
#endif
    return 0;
}

void *consumer(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2) data = 2;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, between, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
