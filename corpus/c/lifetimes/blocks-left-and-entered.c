/* Variables of inner blocks are used as long as they live: blocks are left by `break` and `continue`, and entered by `case` and `goto` behind
 * the declaration. With -DDEAD one is used after its block.
 * @expect sc: SAFE
 * @expect -DDEAD sc: UNSAFE
 */
#include <assert.h>

static void set(int *to)
{
    *to = 3;
}

static int loops(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int part;
        set(&part);
        if (i == 1) continue;
        sum += part;
        if (sum > 5) break;
    }
    return sum;
}

static int cases(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        switch (i) {
            int part;
        case 0:
            set(&part);
            sum += part;
            break;
        case 1: {
            int inner;
            set(&inner);
        default:
            set(&inner);
            sum += inner;
        }
        }
    }
    return sum;
}

static int jumps(void)
{
    int times = 0;
again: {
    int part;
    set(&part);
    times += part;
    if (times < 9) goto again;
}
    return times;
}

int main(void)
{
    assert(loops() == 6);
    assert(cases() == 9);
    assert(jumps() == 9);
    int *kept = 0;
    {
        int inner;
        set(&inner);
        kept = &inner;
        assert(*kept == 3);
    }
#ifdef DEAD
    set(kept);
#endif
    return 0;
}
