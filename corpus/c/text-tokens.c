/* Functions of the library that look for one of several characters, and those that cut a text into parts. `strtok` keeps its place for all
 * threads in one variable.
 * @expect sc: SAFE
 * @expect -DLEFT sc: UNSAFE
 */
#include <assert.h>
#include <string.h>

int main(void) {
    char text[] = " one,two ";
    char *rest;
    assert(strspn("aab", "a") == 2 && strspn("aab", "") == 0 && strspn("ab", "ba") == 2);
    assert(strcspn("aab", "b") == 2 && strcspn("aab", "") == 3);
    assert(*strpbrk("xyz", "zy") == 'y' && !strpbrk("xyz", "a"));
    char *first = strtok_r(text, ", ", &rest);
    assert(first == text + 1 && !strcmp(first, "one"));
    char *second = strtok_r(0, ", ", &rest);
    assert(second == text + 5 && !strcmp(second, "two"));
#ifdef LEFT
    assert(strtok_r(0, ", ", &rest));
#else
    assert(!strtok_r(0, ", ", &rest));
#endif
    char other[] = "a-b";
    assert(!strcmp(strtok(other, "-"), "a") && !strcmp(strtok(0, "-"), "b") && !strtok(0, "-"));
    return 0;
}
