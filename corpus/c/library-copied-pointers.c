/* Pointers in blocks that are copied through `void *`, with a size that is an argument, as containers do: they stay pointers. Where the block begins can depend on what
 * another thread has written; that the two blocks do not overlap is known all the same.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE; ppc: SAFE; rc11: SAFE
 * @expect -DRELAXED aarch64: UNSAFE; ppc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifdef RELAXED
#define RELEASE __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#endif

struct slot {
    void *p;
};
struct slot ring[2];
int v = 1;
unsigned tail;

static void enqueue(void *buffer, const void *element, unsigned long size)
{
    buffer = (char *)buffer + size * (__atomic_load_n(&tail, __ATOMIC_RELAXED) & 1);
    memcpy(buffer, element, size);
}

static void *producer(void *arg)
{
    const void *e = &v;
    enqueue(ring, &e, sizeof e);
    __atomic_store_n(&tail, 1, RELEASE);
    return arg;
}

static void *consumer(void *arg)
{
    if (__atomic_load_n(&tail, __ATOMIC_ACQUIRE)) {
        int *p = ring[0].p;
        assert(p == &v && *p == 1);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
