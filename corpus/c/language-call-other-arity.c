/* Calls through pointers of another type: arguments too many do not matter, arguments too few do.
 * @expect sc: SAFE
 * @expect -DREACHED sc: UNSAFE
 * @expect -DFEW sc: UNSAFE
 */
#include <assert.h>

int seen;

static void none(void)
{
    seen++;
#ifdef REACHED
    assert(0);
#endif
}
static void one(long a) { seen += a; }
static void two(long a, long b) { seen += b; }

int main(void)
{
    void (*calls[2])(long) = { (void (*)(long))none, one };
    for (int i = 0; i < 2; i++)
        calls[i](5);
    assert(seen == 6);
#ifdef FEW
    calls[0] = (void (*)(long))two;
    calls[0](1);
#endif
    return 0;
}
