/* A constant object is written through a pointer. With -DVARIABLE the object is none, and what is constant is only how the pointer sees it.
 * @expect sc: UNSAFE
 * @expect -DVARIABLE sc: SAFE
 */
#include <assert.h>

static const int table[2] = { 1, 2 };
static int variable[2] = { 1, 2 };
static int *const fixed = variable;

int main(void)
{
#ifdef VARIABLE
    const int *numbers = variable;
#else
    const int *numbers = table;
#endif
    fixed[0] = 5;
    *(int *)&numbers[1] = 7;
    assert(numbers[1] == 7);
    return 0;
}
