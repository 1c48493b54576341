/* A block of two numbers that is copied through `void *` while another thread copies into it: it can be seen in part. And a loop whose counter
 * begins at one of two numbers goes round as often in either case.
 * @expect sc: UNSAFE; tso: UNSAFE
 * @expect -DCOUNT sc: SAFE; ppc: SAFE
 * @options --unwind 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct pair {
    int a, b;
} shared;
atomic_int which, x;

static void copy(void *to, const void *from) { memcpy(to, from, sizeof(struct pair)); }

static void *other(void *arg)
{
#ifdef COUNT
    which = 1;
    x = 2;
#else
    struct pair ones = {1, 1};
    copy(&shared, &ones);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
#ifdef COUNT
    int first = which ? 3 : 20;
    for (int i = first; i != first + 10; i++)
        x = 1;
    assert(x > 0);
#else
    struct pair own;
    copy(&own, &shared);
    assert(own.a == own.b);
#endif
    pthread_join(thread, 0);
    return 0;
}
