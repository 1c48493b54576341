/* Relaxed accesses with fences: the reader's acquire fence needs a release fence to synchronise with.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DBOTH rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *producer(void *unused) {
    data = 1;
#ifdef BOTH
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

void *consumer(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        data = 2;
    }
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
