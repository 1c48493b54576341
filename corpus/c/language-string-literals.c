/* String literals cannot be written, arrays that are initialised by them can.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect -DWRITE sc: UNSAFE; tso: UNSAFE
 * @expect -DEXCHANGE sc: UNSAFE; tso: UNSAFE
 */
#include <assert.h>
#include <stdatomic.h>

static void capitalise(char *text) { text[0] -= 'a' - 'A'; }

int main(void)
{
    char own[] = "word", *literal = "word";
    capitalise(own);
    assert(own[0] == 'W' && literal[0] == 'w');
#ifdef WRITE
    capitalise(literal);
#endif
#ifdef EXCHANGE
    __atomic_exchange_n(literal, 'x', __ATOMIC_RELAXED);
#endif
    return 0;
}
