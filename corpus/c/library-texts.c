/* Texts, numbers in texts, sorting and searching: the values are those of a C library. One thread.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int by(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
struct p { char *name; int n; };
static int bp(const void *a, const void *b) { return ((const struct p *)a)->n - ((const struct p *)b)->n; }
int main(void) {
    int v[5] = { 4, -1, 9, 0, 4 }, k = 9;
    char *t[3] = { "c", "a", "b" }, *end;
    struct p ps[2] = { { "x", 2 }, { "y", 1 } };
    qsort(v, 5, sizeof *v, by);
    assert(v[0] == -1 && v[1] == 0 && v[2] == 4 && v[3] == 4 && v[4] == 9);
    assert(bsearch(&k, v, 5, sizeof *v, by) == &v[4]);
    k = 5;
    assert(!bsearch(&k, v, 5, sizeof *v, by));
    qsort(t, 3, sizeof *t, texts);
    assert(!strcmp(t[0], "a") && !strcmp(t[2], "c"));
    qsort(ps, 2, sizeof *ps, bp);
    assert(*ps[0].name == 'y');
    assert(strtol(" -42x", &end, 10) == -42 && *end == 'x');
    assert(strtol("0x1fg", &end, 0) == 31 && *end == 'g' && strtol("077", 0, 0) == 63 && strtoul("zz", 0, 36) == 35 * 37);
    assert(strtol("9223372036854775808", 0, 10) == 9223372036854775807L && strtol("-9223372036854775808", 0, 10) == -9223372036854775807L - 1);
    assert(strtol("q", &end, 10) == 0 && *end == 'q' && atoi("12") == 12 && atol("-7") == -7);
    char *d = strdup("hello");
    assert(!strcmp(d, "hello") && strrchr(d, 'l') == d + 3 && strstr(d, "llo") == d + 2 && !strstr(d, "lz") && memchr(d, 'o', 5) == d + 4);
    char *n = strndup(d, 2); assert(!strcmp(n, "he"));
    char cat[8] = "ab"; strncat(cat, "cdef", 2); assert(!strcmp(cat, "abcd"));
    assert(ffs(8) == 4 && ffs(0) == 0 && ffsl(1L << 40) == 41);
    return 0;
}
