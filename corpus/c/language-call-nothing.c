/* A call through a pointer that another thread clears between the test and the call, or that was never set.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect -DNEVER sc: UNSAFE; tso: UNSAFE
 * @expect -DCOPY sc: SAFE; tso: SAFE
 */
#include <pthread.h>
#include <stddef.h>

static int twice(int n) { return 2 * n; }

int (*hook)(int) = twice;
int (*never)(int);

static void *clear(void *unused)
{
    hook = NULL;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
#if defined NEVER
    never(1);
#elif defined COPY
    int (*copy)(int) = hook;
    if (copy)
        copy(1);
#else
    if (hook)
        hook(1);
#endif
    return 0;
}
