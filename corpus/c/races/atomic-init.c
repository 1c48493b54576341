/* atomic_init is no atomic access: beside a load of another thread it is a data race. Before the thread begins it is none.
 * @expect rc11: UNSAFE
 * @expect -DEARLY rc11: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int x;

static void *reader(void *unused)
{
    (void)atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t r;
#ifdef EARLY
    atomic_init(&x, 1);
#endif
    pthread_create(&r, NULL, reader, NULL);
#ifndef EARLY
    atomic_init(&x, 1);
#endif
    pthread_join(r, NULL);
    return 0;
}
