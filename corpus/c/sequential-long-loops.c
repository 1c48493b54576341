/* Loops that constants decide, 150,000 iterations in all: the execution that reaches the assertion is long, and is replayed to its end.
 * Found by csmith against GCC.
 * @expect sc: SAFE
 */
#include <assert.h>

static unsigned short counter = 65535;
static unsigned long step;
static int last = 3;

static int go_round(unsigned long value)
{
    for (step = 26; step > 5; step = (unsigned short)(step - 9))
        last = (int)value;
    return 7;
}

int main(void)
{
    for (int turn = 27; turn != 17; --turn)
        last = go_round(step = ++counter);
    assert(last == 7 && counter == 9);
    return 0;
}
