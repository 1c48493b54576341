/* Who drops the last reference cleans up. The count says that the other one is done, but with memory_order_relaxed
 * not that what it did came before.
 * @expect rc11: UNSAFE; sc: UNSAFE
 * @expect -DORDER=memory_order_acq_rel rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

int object;
atomic_int references = 2;

void *first(void *unused) {
    object = 1;
    if (atomic_fetch_sub_explicit(&references, 1, ORDER) == 1) object = -1;
    return 0;
}

void *second(void *unused) {
    if (atomic_fetch_sub_explicit(&references, 1, ORDER) == 1) object = -1;
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
