/* A sequence lock: the reader keeps what it has read only if the version was even and has not changed. It rests on
 * the order of writes among themselves and of reads among themselves, which tso keeps and weaker models do not.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int version;
int left, right;

static void *writer(void *unused)
{
    version = 1;
    fence();
    left = 1;
    right = 1;
    fence();
    version = 2;
    return NULL;
}

static void *reader(void *unused)
{
    int before = version;
    fence();
    int a = left;
    int b = right;
    fence();
    int after = version;
    if (before == after && before % 2 == 0)
        assert(a == b);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
