/* Double-checked locking: the pointer is looked at without the mutex, and read with memory_order_relaxed.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DORDER=memory_order_acquire rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

int object;
_Atomic(int *) instance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *user(void *unused) {
    int *own = atomic_load_explicit(&instance, ORDER);
    if (!own) {
        pthread_mutex_lock(&lock);
        own = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!own) {
            object = 7;
            own = &object;
            atomic_store_explicit(&instance, own, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return (void *)(long)*own;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
