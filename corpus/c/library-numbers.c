/* Numbers that a system gives are any that it may give.
 * @expect sc: SAFE
 * @expect -DN=1 sc: UNSAFE
 * @expect -DN=2 sc: UNSAFE
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <time.h>

#ifndef N
#define N 0
#endif

static int call(int (*f)(void)) { return f(); }

int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_nsec >= 0 && now.tv_nsec < 1000000000);
    assert(call(get_nprocs) > 0 && call(rand) >= 0);
    assert(N != 1 || now.tv_nsec != 5);
    assert(N != 2 || call(get_nprocs) != 2);
    return 0;
}
