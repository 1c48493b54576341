/* The address of a weak function that nobody defines is null, and a call of it is a failure.
 * @expect sc: SAFE; tso: SAFE; ppc: SAFE
 * @expect -DCALLED sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DDEFINED sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DLIBRARY sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int missing(int) __attribute__((weak));
#pragma GCC diagnostic ignored "-Waddress"
int (*const table[])(int) = { missing };
extern __typeof(pthread_create) pthread_create __attribute__((weak));

#ifdef DEFINED
int missing(int x) { return x; }
#endif

int main(void)
{
#ifdef CALLED
    missing(1);
#endif
#ifdef LIBRARY
    assert(!pthread_create);
#endif
    if (missing) missing(2);
    assert(missing == 0);
    assert(!table[0]);
    return 0;
}
