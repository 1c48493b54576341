/* Blocks that grow, arrays of variable length, sizes that no block can have, null pointers for the library.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DSHRUNK sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DOLD sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DTOO_MUCH sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DPRODUCT sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DNULL_FILL sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DNULL_COPY sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DBEHIND sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DNEGATIVE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int x = 5;

static int sum(int n, int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    return s;
}

int main(void)
{
    int **p = malloc(2 * sizeof *p);
    p[0] = &x;
    p[1] = &x + 1;
    int **old = p;
    p = realloc(p, 3 * sizeof *p);
    assert(p && *p[0] == 5 && p[1] == &x + 1);
    p[2] = p[0];
#ifdef OLD
    old[0] = 0;
#endif
    char *text = realloc(NULL, 3);
    strcpy(text, "ab");
    text = realloc(text, 2);
    assert(text[0] == 'a' && text[1] == 'b');
#ifdef SHRUNK
    text[2] = 0;
#endif
    free(text);
    free(p);

    int n = __VERIFIER_nondet_int();
#ifdef NEGATIVE
    __VERIFIER_assume(n < 4);
#else
    __VERIFIER_assume(n > 0 && n < 4);
#endif
    int a[n], pairs[n][2];
    assert(sizeof a == n * sizeof(int) && sizeof pairs == 8 * (unsigned)n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        pairs[i][1] = i;
    }
    assert(sum(n, a) == n * (n - 1) / 2 && pairs[n - 1][1] == n - 1);
#ifdef BEHIND
    a[n] = 1;
#endif

    char *none = malloc(-1);
    assert(!none);
#ifdef TOO_MUCH
    none[0] = 1;
#endif
    int *many = calloc((size_t)1 << 62, 8);
    assert(!many);
#ifdef PRODUCT
    *many = 1;
#endif
#ifdef NULL_FILL
    memset(0, 0, 4);
#endif
#ifdef NULL_COPY
    char b[4];
    memcpy(b, NULL, 4);
#endif
    return 0;
}
