/* Message passing: data, then a flag; the flag, then the data. The reader misses the data where writes change
 * places (pso), or reads (rmo, alpha, power); a fence in the writer alone helps only where reads stay in order.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DWRITER_FENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#if defined FENCE || defined WRITER_FENCE
#define write_fence() __sync_synchronize()
#else
#define write_fence() ((void)0)
#endif
#ifdef FENCE
#define read_fence() __sync_synchronize()
#else
#define read_fence() ((void)0)
#endif

int data, ready;

static void *writer(void *unused)
{
    data = 42;
    write_fence();
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    if (ready) {
        read_fence();
        assert(data == 42);
    }
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
