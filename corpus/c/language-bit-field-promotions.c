/* A bit-field is promoted to `int` if that has all its values, also one whose type is wider, as GCC and Clang do.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: SAFE
 */
#include <assert.h>

struct {
    unsigned long two : 2;
    unsigned long all : 32;
    unsigned long more : 40;
    unsigned short small;
} fields;

int main(void)
{
    assert(sizeof(+fields.two) == 4);
    assert(sizeof(fields.two & fields.small) == 4);
    assert(sizeof(1 ? fields.two : 'a') == 4);
    assert(sizeof(fields.two << 1) == 4);
    assert(sizeof(+fields.more) == 8);
    fields.two = 1;
    assert(fields.two - 2 < 0);
    fields.all = 1;
    assert(sizeof(+fields.all) == 4);
    assert(fields.all - 2 == 0xffffffff);
    return 0;
}
