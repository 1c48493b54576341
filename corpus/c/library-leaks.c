/* What the library keeps for itself is no leak of the program. What other threads allocate while `main` has ended by pthread_exit is not looked at: a bound of the verdict.
 * @expect --property memory-leak sc: SAFE
 * @expect -DLEFT --property memory-leak sc: UNSAFE
 */
#include <stdlib.h>
#include <string.h>
#include <threads.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int work(void *arg) { return arg == NULL; }

int main(void)
{
    thrd_t thread;
    char block[4] = "abc";
    unsigned size = __VERIFIER_nondet_uint();
    thrd_create(&thread, work, NULL);
    thrd_join(thread, NULL);
    if (size < 4)
        memmove(block, block + 1, size & 3);
#ifdef LEFT
    strdup("a");
#endif
    return 0;
}
