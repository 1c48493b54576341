/* A sequence lock around a structure that the reader copies in words of 64 bits and the writer fills field by field. With
 * -DBUG the reader does not look at the sequence number again.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect x86tso: SAFE
 * @expect aarch64: SAFE
 * @expect -DBUG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct sample {
    uint32_t time;
    uint16_t low, high;
    int32_t sum;
    uint8_t flags[4];
};

_Alignas(8) struct sample shared;
unsigned sequence;

static void copy(struct sample *to, const struct sample *from)
{
    uint64_t words[2];
    const uint64_t *source = (const uint64_t *)from;
    for (int i = 0; i < 2; i++)
        words[i] = __atomic_load_n(&source[i], __ATOMIC_RELAXED);
    memcpy(to, words, sizeof *to);
}

static void *writer(void *arg)
{
    __atomic_store_n(&sequence, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&shared.time, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&shared.high, 2, __ATOMIC_RELAXED);
    __atomic_store_n(&shared.sum, 3, __ATOMIC_RELAXED);
    __atomic_store_n(&shared.flags[3], 4, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&sequence, 2, __ATOMIC_RELAXED);
    return arg;
}

static void *reader(void *arg)
{
    struct sample sample;
    unsigned before = __atomic_load_n(&sequence, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    copy(&sample, &shared);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    unsigned after = __atomic_load_n(&sequence, __ATOMIC_RELAXED);
#ifndef BUG
    if (before != after || before & 1)
        return arg;
#endif
    assert(before + after >= 0);
    assert(sample.low == 0 && sample.flags[0] == 0);
    assert((sample.time == 1) == (sample.sum == 3));
    assert((sample.time == 1) == (sample.flags[3] == 4) && (sample.high == 2) == (sample.sum == 3));
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
