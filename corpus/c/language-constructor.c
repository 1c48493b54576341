/* Functions that run before main, in the order of their numbers; those without come last.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect -DFORGOTTEN sc: UNSAFE; tso: UNSAFE
 */
#include <assert.h>

int state;

static void last(void) __attribute__((constructor));
static void last(void) { state = state * 10 + 3; }
__attribute__((constructor(102))) static void second(void) { state = state * 10 + 2; }
__attribute__((__constructor__(101))) static void first(void) { state = 1; }

int main(void)
{
#ifdef FORGOTTEN
    assert(state == 0);
#else
    assert(state == 123);
#endif
    return 0;
}
