/* Promotions, wrapping, shifts, signs and comparisons of mixed signs.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNSIGNED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <limits.h>
#include <stdint.h>

int main(void)
{
    unsigned char a = 200, b = 100;
    signed char s = (signed char)200;
    unsigned u = 0;
    assert(a + b == 300 && (unsigned char)(a + b) == 44);
    assert(s == -56 && (unsigned)s == 4294967240u && (s >> 2) == -14);
    assert(u - 1 == UINT_MAX && -1 > u);
    assert((int64_t)INT_MAX + 1 == 2147483648LL);
    assert(-7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1);
    assert((1u << 31) == 0x80000000u && (1ull << 63) > 0);
    assert((char)-1 < 0 && '\x7f' == 127 && '\0' == 0 && 010 == 8 && 0x10 == 16);
    assert(sizeof('a') == sizeof(int) && sizeof(1L) == 8 && sizeof(long double *) == 8);
    assert((5 & 3 | 8) == 9 && (~0 ^ 1) == -2 && !!7 == 1);
    int x = 3, y = x++ + ++x, z = (x--, x);
    assert(x == 4 && y == 8 && z == 4);
    short h = 0x7fff;
    h++;
    assert(h == -32768);
    _Bool t = 256;
    assert(t == 1 && (_Bool)0.5 == 1);
#ifdef UNSIGNED
    assert(-1 < 1u);
#endif
    return 0;
}
