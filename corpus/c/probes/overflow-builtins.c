/* The compiler's builtins for byte order, bits and overflow.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DWRONG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <limits.h>
#include <stdint.h>

_Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int sum;
    unsigned product;
    long wide;
    assert(__builtin_bswap16(0x1234) == 0x3412);
    assert(__builtin_bswap32(0x12345678u) == 0x78563412u);
    assert(__builtin_bswap64(0x0102030405060708ull) == 0x0807060504030201ull);
    assert(__builtin_popcount(0xf0f0u) == 8 && __builtin_ctz(8) == 3 && __builtin_clz(1) == 31);
    assert(__builtin_ffs(0) == 0 && __builtin_ffs(4) == 3 && __builtin_parity(7) == 1);
    assert(__builtin_clzll(1ull) == 63 && __builtin_ctzl(1ul << 40) == 40 && __builtin_popcountll(~0ull) == 64);
    assert(__builtin_add_overflow(INT_MAX, 1, &sum) && sum == INT_MIN);
    assert(!__builtin_add_overflow(2, 3, &sum) && sum == 5);
    assert(__builtin_sub_overflow(0u, 1u, &product) && product == UINT_MAX);
    assert(__builtin_mul_overflow(65536u, 65536u, &product) && product == 0);
    assert(!__builtin_mul_overflow(65536, 65536L, &wide) && wide == 4294967296L);
    int n = __VERIFIER_nondet_bool() ? INT_MAX : 41;
    int next;
    if (!__builtin_add_overflow(n, 1, &next))
        assert(next > n);
#ifdef WRONG
    else
        assert(next > n);
#endif
    return 0;
}
