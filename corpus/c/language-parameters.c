/* What lists of parameters declare is known there and in the function's body only; the sizes of their arrays are evaluated when the function is
 * called. A tag that is declared in a block, alone, is another type than the one outside.
 * @expect sc: SAFE
 * @expect -DN=1 sc: UNSAFE
 * @expect -DN=2 sc: UNSAFE
 * @expect -DN=3 sc: UNSAFE
 * @expect -DN=4 sc: UNSAFE
 * @expect -DN=5 sc: UNSAFE
 */
#include <assert.h>

#ifndef N
#define N 0
#endif
#define CHECK(number, condition) assert((N == number) != (condition))

struct pair {
    int v;
};
enum { ONE = 1 };

static int own(struct pair { int v, w, x; } *p)
{
    struct pair inside;
    return sizeof *p == sizeof inside;
}
static int wide(enum { ONE = 5 } e) { return ONE; }
static int narrow(void) { return ONE; }
void never(struct pair { char c; } *p);
int (*pointer)(enum { TWO = 2 } e);

int n;
static int sizes(int a[++n], int b[const 1 + n++]) { return n; }

int main(void)
{
    struct pair outside;
    int array[4];
    CHECK(1, sizeof outside == sizeof(int) && own(0));
    CHECK(2, narrow() == 1 && wide(0) == 5);
    CHECK(3, sizes(array, array) == 2);
    {
        struct pair;
        struct pair *p;
        struct pair {
            long l[2];
        };
        CHECK(4, sizeof *p == 2 * sizeof(long));
    }
    CHECK(5, ++(int){3} == 4 && --(int){3} == 2);
    return 0;
}
