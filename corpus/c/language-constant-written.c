/* A constant variable is written through a cast of its own address.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DREAD sc: SAFE; tso: SAFE; aarch64: SAFE
 */
#include <assert.h>

int main(void)
{
    const int k = 1;
#ifndef READ
    *(int *)&k = 2;
#endif
    assert(*(int *)&k >= 1);
    return 0;
}
