/* A ticket lock whose owner looks at the ticket that is served with memory_order_relaxed.
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
atomic_int next, serving;

void *worker(void *unused) {
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, ORDER) != mine) {
    }
    shared++;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
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
