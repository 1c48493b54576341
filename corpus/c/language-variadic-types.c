/* An argument after `...` is taken with its own type after promotion, or with the signed or unsigned type of the same size if its value is a number of
 * both, or as `void *` if it is a pointer. With -DWIDER, -DNARROW, -DNUMBER, -DNEGATIVE, -DFLOATING, -DPOINTER and -DNONE it is taken with another type, or there is none.
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE
 * @expect -DWIDER sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE
 * @expect -DNARROW sc: UNSAFE
 * @expect -DNUMBER sc: UNSAFE
 * @expect -DNEGATIVE sc: UNSAFE
 * @expect -DFLOATING sc: UNSAFE
 * @expect -DPOINTER sc: UNSAFE
 * @expect -DNONE sc: UNSAFE
 */
#include <assert.h>
#include <stdarg.h>
#include <stddef.h>

enum colour { RED, GREEN };
struct node { int value; struct node *next; };

static long take(const char *types, ...)
{
    va_list list, copy;
    va_start(list, types);
    va_copy(copy, list);
    long sum = 0;
    for (; *types; types++) {
        switch (*types) {
        case 'i': sum += va_arg(list, int); break;
        case 'u': sum += va_arg(list, unsigned); break;
        case 'l': sum += va_arg(list, long); break;
        case 'p': sum += va_arg(list, void *) != NULL; break;
        case 's': sum += *va_arg(list, unsigned char *); break;
        case 'n': {
            struct node *node = va_arg(list, struct node *);
            if (node) sum += node->value;
            break;
        }
        }
    }
    va_end(list);
    va_end(copy);
    return sum;
}

int main(void)
{
    char letter = 2;
    unsigned short small = 3;
    struct node node = { 4, NULL };
    assert(take("iii", letter, small, GREEN) == 6);
    assert(take("uiul", 1, 2u, small, 5l) == 11);
    assert(take("psn", &node, "a", &node) == 1 + 'a' + 4);
    assert(take("pn", (char *)NULL, NULL) == 0);
    assert(take("") == 0);
#ifdef WIDER
    take("l", 1);
#elif defined NARROW
    take("i", 1l);
#elif defined NUMBER
    take("p", 0l);
#elif defined NEGATIVE
    take("u", -1);
#elif defined FLOATING
    take("i", 1.0);
#elif defined POINTER
    take("n", &node.value);
#elif defined NONE
    take("ii", 1);
#endif
    return 0;
}
