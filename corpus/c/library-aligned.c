/* A block is aligned to a power of two. With -DODD it is not, and with -DANY it can be anything.
 * @expect sc: SAFE
 * @expect -DODD sc: UNSAFE; rc11: UNSAFE
 * @expect -DANY sc: UNSAFE
 * @expect -DONE sc: SAFE
 */
#include <assert.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
#if defined(ODD)
    int *block = aligned_alloc(3, 9);
#elif defined(ANY)
    int *block = aligned_alloc(__VERIFIER_nondet_uint(), 16);
#elif defined(ONE)
    unsigned bits = __VERIFIER_nondet_uint();
    int *block = aligned_alloc(1ul << (bits & 7), 128);
#else
    int *block = aligned_alloc(16, 16);
#endif
    block[0] = 1;
    assert(block[0] == 1);
    free(block);
    return 0;
}
