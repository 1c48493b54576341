/* Passing a message, where the consumer's dependency goes through a write of its own: data to z, which it reads back, and an address from
 * there. Power keeps the order of such chains, which takes more than direct dependencies; without the last one it does not.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect ppc: SAFE
 * @expect aarch64: SAFE
 * @expect -DLOOSE sc: SAFE
 * @expect -DLOOSE tso: SAFE
 * @expect -DLOOSE ppc: UNSAFE
 * @expect -DLOOSE aarch64: UNSAFE
 */
#include <assert.h>
#include <stdatomic.h>
#include <pthread.h>
atomic_int x, y, z;
void *producer(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_release);
    return 0;
}
void *consumer(void *arg) {
    int a = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&z, a, memory_order_relaxed);
    int b = atomic_load_explicit(&z, memory_order_relaxed);
#ifdef LOOSE
    int c = atomic_load_explicit(&x, memory_order_relaxed);
#else
    int c = atomic_load_explicit(&x + (b ^ b), memory_order_relaxed);
#endif
    assert(!(a == 1 && b == 1 && c == 0));
    return 0;
}
void *other(void *arg) {
    atomic_store_explicit(&z, 2, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_create(&c, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
