/* Message passing with a write-write fence in the writer and, with READER, a read-read fence in the reader. On
 * power such fences are not cumulative.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DREADER sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

void __CPROVER_fence(const char *kind, ...);

int data, ready;

static void *writer(void *unused)
{
    data = 1;
    __CPROVER_fence("WWfence");
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = ready;
#ifdef READER
    __CPROVER_fence("RRfence");
#endif
    int got = data;
    assert(!(seen == 1 && got == 0));
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
