/* One of many blocks is freed, and nobody knows which until the program runs. With -DTWICE it is freed once more.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DTWICE sc: UNSAFE
 */
#include <assert.h>
#include <stdlib.h>

enum { BLOCKS = 80 };

unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);

static int *blocks[BLOCKS];

int main(void)
{
    unsigned char at = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(at < BLOCKS);
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(sizeof(int));
    *blocks[at] = 1;
    free(blocks[at]);
#ifdef TWICE
    free(blocks[at]);
#endif
    return 0;
}
