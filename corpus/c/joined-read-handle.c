/* A thread reads the handle of another one from shared memory, which is started after it, and joins that. What stands behind the join takes place.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; ppc: UNSAFE
 * @expect -DSEEN sc: SAFE; tso: SAFE; aarch64: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic pthread_t handle;
int x;

static void *late(void *arg)
{
    x = 1;
    return arg;
}

static void *joins(void *arg)
{
    pthread_t other = handle;
    if (other) {
        pthread_join(other, 0);
#ifdef SEEN
        assert(x == 1);
#else
        assert(0);
#endif
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, joins, 0);
    pthread_create(&second, 0, late, 0);
    handle = second;
    return 0;
}
