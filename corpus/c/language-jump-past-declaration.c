/* A jump into a block leads past a declaration: the variable is there, and holds any value.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DREAD sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>

static int chosen(int n)
{
    switch (n) {
        int x;
    case 0:
        x = 1;
        return x;
    case 1:
#ifdef READ
        return x;
#else
        x = 2;
        return x;
#endif
    }
    return 0;
}

int main(void)
{
    assert(chosen(0) == 1);
    assert(chosen(1) != 0);
    return 0;
}
