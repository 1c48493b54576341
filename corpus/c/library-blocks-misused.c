/* Functions on blocks of memory and on numbers that are given what they must not be given: a size that no object has (a difference that went below zero), blocks
 * that overlap, a number without a bit to count to. A byte that is put into a truth value stays what it is, and of what a comparison gives only the sign counts.
 * @expect sc: UNSAFE; tso: UNSAFE
 * @expect -DCOPY sc: UNSAFE
 * @expect -DMOVE sc: UNSAFE
 * @expect -DCOMPARE sc: UNSAFE
 * @expect -DOVERLAP sc: UNSAFE
 * @expect -DOVERLAP_BACK sc: UNSAFE
 * @expect -DOVERLAP_SIZE sc: UNSAFE
 * @expect -DAPART sc: SAFE; tso: SAFE
 * @expect -DTRUTH sc: UNSAFE
 * @expect -DZEROS sc: UNSAFE
 * @expect -DABSOLUTE sc: SAFE
 * @expect -DABSOLUTE --property overflow sc: UNSAFE
 * @expect -DSIGN sc: UNSAFE
 * @expect -DSIGN_OF_TEXT sc: UNSAFE
 * @expect -DSIGN_ONLY sc: SAFE
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    char b[8] = "abcdefg", c[8] = "abcdefh";
    unsigned n = __VERIFIER_nondet_uint();
#if defined COPY
    memcpy(b, c, (size_t)-1);
#elif defined MOVE
    memmove(b, b + 1, sizeof b - 9);
#elif defined COMPARE
    assert(memcmp(b, c, -1) == 0);
#elif defined OVERLAP
    memcpy(b + 1, b, 4);
#elif defined OVERLAP_BACK
    memcpy(b + (n & 1), b + 2, 2);
#elif defined OVERLAP_SIZE
    memcpy(b, b + 2, n & 3);
#elif defined APART
    memcpy(b, b + 4, 4);
    memcpy(b + (n & 3), b + 4, 1);
    memcpy(n & 1 ? b : c, b, 1);
    memmove(b, b + 1, 7);
    memcpy(b, c, n & 7);
#elif defined TRUTH
    _Bool t;
    memset(&t, 2, 1);
    assert(*(unsigned char *)&t == 1);
#elif defined ZEROS
    assert(__builtin_clz(n) <= 32);
#elif defined ABSOLUTE
    assert(abs((int)n) >= 0 || n == (unsigned)INT_MIN);
#elif defined SIGN
    assert(memcmp(b, c, 8) == -1);
#elif defined SIGN_OF_TEXT
    assert((signed char)strcmp(c, b) > 0);
#elif defined SIGN_ONLY
    assert(memcmp(b, c, 8) < 0 && strcmp(c, b) > 0 && strncmp(b, c, 6) == 0 && memcmp(c, b, n & 3) == 0);
#else
    memset(b, 0, sizeof b - 9);
#endif
    return 0;
}
