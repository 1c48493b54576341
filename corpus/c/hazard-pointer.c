/* A hazard pointer: the reader announces what it reads and looks again, the writer unlinks and then looks for
 * announcements. Announcement and second look are a write and a read: store buffering, unless a full fence is
 * between.
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

struct item {
    int alive;
};

struct item item = { 1 };
struct item *shared = &item;
struct item *hazard;

static void *reader(void *unused)
{
    struct item *seen = shared;
    hazard = seen;
    fence();
    if (seen && shared == seen) {
        fence();
        assert(seen->alive);
        fence();
    }
    hazard = NULL;
    return NULL;
}

static void *writer(void *unused)
{
    struct item *old = shared;
    shared = NULL;
    fence();
    if (hazard != old) {
        fence();
        old->alive = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
