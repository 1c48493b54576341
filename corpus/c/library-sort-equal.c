/* `qsort` leaves open which of equal elements comes first. With -DSTABLE the program relies on the order that they had, with -DREVERSED on the opposite. One
 * thread.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DSTABLE sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DREVERSED sc: UNSAFE
 */
#include <assert.h>
#include <stdlib.h>

struct entry { int key, number; };

static int by_key(const void *left, const void *right)
{
    return ((const struct entry *)left)->key - ((const struct entry *)right)->key;
}

static int by_both(const void *left, const void *right)
{
    int order = by_key(left, right);
    return order ? order : ((const struct entry *)left)->number - ((const struct entry *)right)->number;
}

int main(void)
{
    struct entry all[4] = { { 2, 1 }, { 1, 2 }, { 2, 3 }, { 0, 4 } };
    qsort(all, 4, sizeof all[0], by_key);
    assert(all[0].number == 4 && all[1].number == 2);
    assert(all[2].number + all[3].number == 4 && all[2].number != all[3].number);
#ifdef STABLE
    assert(all[2].number == 1);
#elif defined REVERSED
    assert(all[2].number == 3);
#endif
    qsort(all, 4, sizeof all[0], by_both);
    assert(all[2].number == 1 && all[3].number == 3);
    return 0;
}
