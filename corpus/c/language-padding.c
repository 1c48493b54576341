/* What is in the gaps between the members of a structure is open after it was initialised or assigned, so that `memcmp` may find a difference. With -DINITIALISED,
 * -DASSIGNED and -DBYTES the program relies on it; without, structures have no gaps, are zero from the start, or are compared by members. One thread.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DINITIALISED sc: UNSAFE; tso: UNSAFE
 * @expect -DASSIGNED sc: UNSAFE
 * @expect -DBYTES sc: UNSAFE
 */
#include <assert.h>
#include <string.h>

struct gap { char kind; int value; };
struct full { int kind; int value; };

static struct gap first, second;

static int same(const struct gap *one, const struct gap *other)
{
    return one->kind == other->kind && one->value == other->value;
}

int main(void)
{
    struct full a = { 1, 2 }, b = { 1, 2 };
    assert(memcmp(&a, &b, sizeof a) == 0);
    assert(memcmp(&first, &second, sizeof first) == 0);
    struct gap one = { 1, 2 }, other = { 1, 2 };
    assert(same(&one, &other));
    struct gap cleared, again;
    memset(&cleared, 0, sizeof cleared);
    memset(&again, 0, sizeof again);
    cleared.value = again.value = 3;
    assert(memcmp(&cleared, &again, sizeof again) == 0);
#ifdef INITIALISED
    assert(memcmp(&one, &other, sizeof one) == 0);
#elif defined ASSIGNED
    first = one;
    second = first;
    assert(same(&first, &second));
    assert(memcmp(&first, &second, sizeof first) == 0);
#elif defined BYTES
    assert(((unsigned char *)&one)[1] == 0);
#endif
    return 0;
}
