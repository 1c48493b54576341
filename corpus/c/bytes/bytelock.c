/* A byte lock as in Concurrency Kit: each reader has a byte of its own, which it sets and clears with plain stores; the
 * writer takes the lock and waits until all bytes are clear, eight at a time. Both sides need a full fence between their
 * store and their load. With -DBUG they have none.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect x86tso: SAFE
 * @expect aarch64: SAFE
 * @expect -DBUG sc: SAFE; tso: UNSAFE; pso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct bytelock {
    uint32_t owner, pad;
    uint8_t readers[8];
} __attribute__((aligned(8)));

struct bytelock lock;
int reading[2], writing;

#ifdef BUG
#define FENCE() ((void)0)
#else
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

static void *reader(void *arg)
{
    unsigned slot = arg ? 5 : 2;
    __atomic_store_n(&lock.readers[slot], 1, __ATOMIC_RELAXED);
    FENCE();
    if (__atomic_load_n(&lock.owner, __ATOMIC_ACQUIRE) == 0) {
        reading[arg != 0] = 1;
        assert(!writing);
        reading[arg != 0] = 0;
    }
    __atomic_store_n(&lock.readers[slot], 0, __ATOMIC_RELEASE);
    return 0;
}

static void *writer(void *arg)
{
    __atomic_store_n(&lock.owner, 1, __ATOMIC_RELAXED);
    FENCE();
    if (__atomic_load_n((uint64_t *)lock.readers, __ATOMIC_ACQUIRE) == 0) {
        writing = 1;
        assert(!reading[0] && !reading[1]);
        writing = 0;
    }
    __atomic_store_n(&lock.owner, 0, __ATOMIC_RELEASE);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, (void *)1);
    pthread_create(&c, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
