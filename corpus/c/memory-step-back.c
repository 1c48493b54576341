/* Pointers go back and forth over structures whose size is no power of two: what they can point to is computed modulo
 * 2^64, and what is left of a multiple of 20 there is a multiple of 4.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect -DTHIRD sc: UNSAFE; tso: UNSAFE
 * @options --property assert
 */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct five { int a, b, c, d, e; } row[6];

int main(void)
{
    for (int k = 0; k < 6; k++)
        row[k].c = 10 * k;
    int i = __VERIFIER_nondet_int();
    if (i < 2 || i > 5)
        return 0;
    struct five *end = row + i;
#ifdef THIRD
    assert(end[-2].c != 30);
#else
    assert(end[-2].c == 10 * i - 20);
    assert((end - 1)->c == end->c - 10);
    long back = -i;
    assert(end[back].c == 0);
#endif
    return 0;
}
