/* A word is written at once. Whoever reads it sees all of it or nothing, and does not lose what was seen of a byte before.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect x86tso: SAFE
 * @expect aarch64: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

union {
    uint32_t word;
    uint8_t byte[4];
} u;

static void *writer(void *arg)
{
    *(volatile uint32_t *)&u.word = 0x01010101;
    return arg;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, writer, 0);
    uint8_t first = *(volatile uint8_t *)&u.byte[0];
    uint32_t all = *(volatile uint32_t *)&u.word;
    assert(all == 0 || all == 0x01010101);
    assert(first == 0 || all != 0);
    return 0;
}
