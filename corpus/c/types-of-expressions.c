/* What depends on the exact type of an expression: `_Generic` tells `char` from `signed char` and looks at the qualifiers of what is pointed to, the
 * size of a compound literal is that of its list, `c ? p : q` with a pointer to `void` is one, `long double` is laid out as the machine does.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DFIRST sc: UNSAFE
 */
#include <assert.h>
#include <stddef.h>

#define KIND(x) _Generic((x), char *: 1, const char *: 2, volatile int *: 3, int *: 4, default: 5)
#define COUNT(...) (sizeof((int[]){__VA_ARGS__}) / sizeof(int))

struct node {
    const char *name;
    int value;
};

struct aligned {
    char c;
    long double d;
};

int main(int argc, char **argv) {
    const char *constant = "a";
    char *plain = 0;
    volatile int *flag = 0;
    int numbers[2] = {1, 2};
    void *any = numbers;
    signed char small = 0;
    const struct node node = {"n", 1};
#ifdef FIRST
    assert(KIND(constant) == 1);
#else
    assert(KIND(constant) == 2);
#endif
    assert(KIND(plain) == 1 && KIND(flag) == 3 && KIND(numbers) == 4 && KIND(any) == 5);
    assert(KIND(node.name) == 2 && KIND(&node.value) == 5);
    assert(_Generic(small, char: 1, signed char: 2) == 2);
    assert(_Generic('a', char: 1, int: 2) == 2 && _Generic("a"[0], char: 1, signed char: 2) == 1);
    assert(!__builtin_types_compatible_p(char, signed char) && !__builtin_types_compatible_p(int *, const int *));
    assert(__builtin_types_compatible_p(int[], int[5]) && __builtin_types_compatible_p(const int, int));
    assert(COUNT(1, 2, 3) == 3 && sizeof((char[]){"hello"}) == 6 && sizeof __func__ == 5);
    assert((char *)((argc ? numbers : any) + 1) == (char *)numbers + 1);
    assert(_Generic(1 ? numbers : any, int *: 1, void *: 2) == 2);
    assert(_Generic(1 ? numbers : (void *)0, int *: 1, void *: 2) == 1);
    assert(_Generic(1 ? plain : constant, char *: 1, const char *: 2) == 2);
    assert(sizeof(long double) == 16 && offsetof(struct aligned, d) == 16 && sizeof(struct aligned) == 32);
    return 0;
}
