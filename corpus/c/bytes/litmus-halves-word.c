/* Each thread writes its half of a word and reads all of it. With store buffers it can see its own half before the other's is
 * there, each of them; with -DLOCKED the writes are read-modify-writes, which Arm
 * lets a later plain load overtake.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect x86tso: UNSAFE
 * @expect aarch64: UNSAFE
 * @expect -DLOCKED sc: SAFE; tso: SAFE; pso: SAFE; x86tso: SAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
    uint32_t word;
    uint16_t half[2];
} u;

uint32_t seen[2];

static void *thread(void *arg)
{
    int own = arg != 0;
#ifdef LOCKED
    __atomic_exchange_n(&u.half[own], 1, __ATOMIC_SEQ_CST);
#else
    *(volatile uint16_t *)&u.half[own] = 1;
#endif
    seen[own] = *(volatile uint32_t *)&u.word;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(seen[0] == 1 && seen[1] == 0x10000));
    return 0;
}
