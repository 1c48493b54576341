/* Arguments of a function that can be anything: what is of type `_Bool` is true or false.
 * @options --entry flags
 * @expect sc: SAFE; aarch64: SAFE
 */
#include <assert.h>

struct both {
    _Bool one;
    int other;
};

int flags(_Bool x, _Bool *p, struct both s)
{
    assert(x <= 1);
    assert(s.one <= 1);
    if (p)
        assert(*p <= 1);
    return 0;
}
