/* Equal string literals may be one object or several. With -DONE the program relies on the one, with -DSEVERAL on the other. One thread.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DONE sc: UNSAFE; tso: UNSAFE
 * @expect -DSEVERAL sc: UNSAFE; tso: UNSAFE
 */
#include <assert.h>
#include <string.h>

static const char *colour(int number)
{
    return number ? "red" : "green";
}

int main(void)
{
    const char *one = "red", *other = "red";
    assert(strcmp(one, other) == 0);
    assert(colour(1) == colour(1));
    assert(colour(0) != one);
    assert(one == one && other[0] == 'r');
#ifdef ONE
    assert(one == other);
#elif defined SEVERAL
    assert(colour(1) != other);
#endif
    return 0;
}
