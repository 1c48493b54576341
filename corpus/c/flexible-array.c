/* Variables whose initialiser gives elements to the array without a size at the end of a structure: they have room for these and no more.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DOVER sc: UNSAFE
 * @expect -DNONE sc: UNSAFE
 */
#include <assert.h>
struct text {
    long n;
    char c;
    char d[];
};
struct pairs {
    int n;
    struct {
        int a, b;
    } e[];
};

static struct text g = {3, 'x', "hello"};
static struct pairs h = {2, {{1, 2}, {.b = 4}}};
static struct pairs none = {0};

int main(void) {
    assert(g.d[0] == 'h' && g.d[4] == 'o' && g.d[5] == 0 && g.c == 'x');
    assert(h.e[0].b == 2 && h.e[1].a == 0 && h.e[1].b == 4);
    h.e[1].a = 9;
    assert(h.e[1].a == 9);
#ifdef OVER
    return h.e[2].a;
#endif
#ifdef NONE
    return none.e[0].a;
#endif
    return 0;
}
