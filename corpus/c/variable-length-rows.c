/* Arrays of variable length with several dimensions, as variables, as parameters whose rows earlier parameters size, behind pointers and
 * in types that are declared where the length has one value and used where it has another.
 * @expect sc: SAFE
 * @expect -DBEYOND sc: UNSAFE
 * @expect -DNEGATIVE sc: UNSAFE
 */
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static int sum(int n, int m, int a[n][m])
{
    int all = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            all += a[i][j];
    return all;
}

static int deep(int n, int m, int k, int (*a)[m][k])
{
    return a[n - 1][m - 1][k - 1] + (int)sizeof *a;
}

static int second(int m, int a[][m + 1])
{
    return a[1][0];
}

int main(void)
{
    int n = 2, m = 3;
    int a[n][m];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i * m + j;
    assert(sum(n, m, a) == 15);
    int(*row)[m] = a;
    row++;
    assert((*row)[0] == 3 && row - a == 1);
    assert(sizeof a == 24 && sizeof a[0] == 12 && sizeof *row == 12);

    int first[2][m], other[m][2];
    first[1][2] = 5;
    other[1][0] = 4;
    assert(sizeof first == 24 && *(&first[0][0] + 5) == 5 && second(1, other) == 4);

    typedef short line[m];
    n = 7;
    m = 9;
    line l, lines[2];
    assert(sizeof a == 24 && sizeof l == 6 && sizeof lines == 12);

    int cube[2][2][2] = { [1][1][1] = 28 };
    assert(deep(2, 2, 2, cube) == 28 + 16);

    int k = 2;
    int(*block)[k] = malloc(sizeof *block * 3);
    block[2][1] = 6;
    assert(((int *)block)[5] == 6 && sizeof(int[k][3]) == 24);
    free(block);
#ifdef BEYOND
    int small[k][2];
    small[2][0] = 1;
#endif
#ifdef NEGATIVE
    int width = __VERIFIER_nondet_int();
    char any[3][width];
    any[0][0] = 1;
#endif
    return 0;
}
