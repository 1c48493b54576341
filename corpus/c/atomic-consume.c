/* Publication of a pointer by release and consume. Consume is kept as an acquire; only this model of power, whose
 * lwsync passes no messages, lets the reader miss the data.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
_Atomic(int *) box;

static void *writer(void *unused)
{
    data = 1;
    atomic_store_explicit(&box, &data, memory_order_release);
    return NULL;
}

static void *reader(void *unused)
{
    int *seen = atomic_load_explicit(&box, memory_order_consume);
    if (seen)
        assert(*seen == 1);
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
