/* A block whose size is a value, filled by one thread and read by another; and bytes that move within an array. Behind its end
 * there is nothing. With -DBUG the loop goes one too far.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect x86tso: SAFE
 * @expect aarch64: SAFE
 * @expect power-frame: SAFE
 * @expect -DBUG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE; power-frame: UNSAFE
 * @options --unwind 5
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

struct block {
    unsigned length;
    int data[];
};

static void *fill(void *arg)
{
    struct block *block = arg;
#ifdef BUG
    for (unsigned i = 0; i <= block->length; i++)
#else
    for (unsigned i = 0; i < block->length; i++)
#endif
        block->data[i] = (int)i;
    return 0;
}

int main(void)
{
    unsigned length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(1 <= length && length <= 3);
    struct block *block = malloc(sizeof *block + length * sizeof block->data[0]);
    block->length = length;
    pthread_t thread;
    pthread_create(&thread, 0, fill, block);
    pthread_join(thread, 0);
    assert(block->data[length - 1] == (int)length - 1);
    char text[] = "abcd";
    memmove(text + 1, text, length);
    assert(text[0] == 'a' && text[1] == 'a' && text[length] == "abc"[length - 1]);
    return 0;
}
