/* Message passing by a release store and a relaxed load: the reader may read the data too early.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

static void *writer(void *unused)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return NULL;
}

static void *reader(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        assert(data == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
