/* The reader is created first, and the object that it may write to is made by a thread that is created later. Whoever
 * follows the threads in the order of their creation knows no such object while it looks at the reader. The reader
 * sees the pointer or not; if it does, its 3 must be in the object at the end, for the maker's own write of 1 stands
 * before the publication. Below TSO the write of 1 may come after it, and then overwrites the 3.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 * @expect -DNEVER sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int *top;
int seen;

static void *reader(void *unused)
{
    int *n = top;
    fence();
    if (n) {
        *n = 3;
        seen = 1;
    }
    return NULL;
}

static void *maker(void *unused)
{
    int *n = calloc(1, sizeof *n);
    *n = 1;
    fence();
    top = n;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, maker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef NEVER
    assert(!seen);
#else
    assert(*top == (seen ? 3 : 1));
#endif
    return 0;
}
