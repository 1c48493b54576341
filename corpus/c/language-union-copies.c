/* A copy of a union has all bytes that one of its members has, also those between the members of another one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: SAFE
 */
#include <assert.h>
#include <string.h>

union number {
    struct {
        int a;
        long b;
        short c;
    } parts;
    long whole;
};

struct boxed {
    char kind;
    union number number;
};

union number global;

static union number same(union number x)
{
    return x;
}

int main(void)
{
    union number x, y;
    memset(&x, 0, sizeof x);
    x.whole = 0x1122334455667788;
    y = x;
    assert(y.whole == x.whole);
    global = y;
    assert(global.whole == x.whole);
    y = same(global);
    assert(y.whole == x.whole);
    struct boxed box = { 1, x }, copy;
    copy = box;
    assert(copy.number.whole == x.whole);
    assert(((unsigned char *)&copy.number)[5] == 0x33);
    return 0;
}
