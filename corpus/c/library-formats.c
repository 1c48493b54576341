/* Texts made from formats, functions for the end of the program: as C says. One thread.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DLONG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DLAST sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order;
static void first(void) { assert(order == 2); order = 3; }
static void second(void) { assert(order == 1); order = 2;
#ifdef LAST
    assert(0);
#endif
}

static int own(char *to, size_t room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(to, room, format, list);
    va_end(list);
    return n;
}

#define IS(text, ...) do { char b[48]; int n = snprintf(b, sizeof b, __VA_ARGS__); \
    assert(n == (int)sizeof(text) - 1 && !strcmp(b, text)); } while (0)

int main(void)
{
    char small[4];
    IS("-12 ab ffz%", "%d %s %x%c%%", -12, "ab", 255, 'z');
    IS("[  007][5   ][+3]", "[%5.3d][%-4u][%+d]", 7, 5u, 3);
    IS("0X1F 017 0", "%#X %#o %#x", 31, 15, 0);
    IS("-9223372036854775808 18446744073709551615", "%ld %zu", -9223372036854775807L - 1, (size_t)-1);
    IS("ab|  x|00042", "%.2s|%3s|%05d", "abc", "x", 42);
    IS("-1 255 7", "%hhd %hhu %*d", 255, -1, 1, 7);
    assert(snprintf(small, sizeof small, "%d", 12345) == 5 && !strcmp(small, "123"));
    assert(snprintf(NULL, 0, "%s", "four") == 4);
    assert(own(small, 4, "%c%c", 'o', 'k') == 2 && !strcmp(small, "ok"));
    assert(sprintf(small, "%d", 123) == 3);
#ifdef LONG
    sprintf(small, "%d", 1234);
#endif
    atexit(first);
    atexit(second);
    order = 1;
    return 0;
}
