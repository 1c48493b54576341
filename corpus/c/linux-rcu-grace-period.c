/* The other half of read-copy-update: the old version is reclaimed only when no reader is inside. The reader
 * announces itself and then reads the pointer, the updater switches the pointer and then looks: both need a full
 * fence.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
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

struct foo {
    int valid;
};

struct foo first = { 1 }, second = { 1 };
struct foo *gp = &first;
int inside;

static void *reader(void *unused)
{
    inside = 1;
    fence();
    struct foo *seen = gp;
    fence();
    assert(seen->valid);
    fence();
    inside = 0;
    return NULL;
}

static void *updater(void *unused)
{
    struct foo *old = gp;
    gp = &second;
    fence();
    while (inside)
        ;
    fence();
    old->valid = 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, updater, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
