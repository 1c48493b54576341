/* One value, looked at as words, halves and bytes: a local object, an object from malloc, a global one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect ppc: SAFE
 * @expect -DLOW sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

uint64_t global = 0x1122334455667788;

int main(void)
{
    uint8_t *bytes = (uint8_t *)&global;
    assert(bytes[0] == 0x88 && bytes[7] == 0x11);
    bytes[3] = 0;
    assert(global == 0x1122334400667788);

    uint32_t *halves = malloc(12);
    halves[0] = 1;
    halves[1] = 2;
    halves[2] = 3;
    uint64_t middle = *(uint64_t *)(halves + 1);
    assert(middle == 0x300000002);
#ifdef LOW
    *(uint16_t *)((char *)halves + 6) = 0;
    assert(halves[1] != 2);
#else
    *(uint16_t *)((char *)halves + 6) = 7;
    assert(halves[1] == 0x70002 && halves[0] == 1 && halves[2] == 3);
#endif

    uint32_t local = 0;
    uint8_t *part = (uint8_t *)&local;
    for (int i = 0; i < 4; i++)
        part[i] = i + 1;
    assert(local == 0x04030201);
    return 0;
}
