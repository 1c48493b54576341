/* A packed field that is not aligned: no machine promises that it is written at once. With -DALIGNED it is aligned.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect x86tso: UNSAFE
 * @expect aarch64: UNSAFE
 * @expect -DALIGNED sc: SAFE; tso: SAFE; pso: SAFE; x86tso: SAFE; aarch64: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifdef ALIGNED
struct record {
    uint8_t kind;
    uint32_t value;
};
#else
struct __attribute__((packed)) record {
    uint8_t kind;
    uint32_t value;
};
#endif

struct record record;

static void *writer(void *arg)
{
    record.value = 0x01010101;
    return arg;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, writer, 0);
    uint32_t value = record.value;
    assert(value == 0 || value == 0x01010101);
    return 0;
}
