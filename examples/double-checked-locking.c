/* Double-checked locking: look without the lock, take it only if there is nothing yet. With a plain pointer the
 * object may be seen before its content; acquire and release mend it, except on this model of power, full fences
 * everywhere.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DRELEASE_ACQUIRE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

struct config {
    int port;
};

struct config config;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#ifdef RELEASE_ACQUIRE
_Atomic(struct config *) instance;
#define look() atomic_load_explicit(&instance, memory_order_acquire)
#define publish(to) atomic_store_explicit(&instance, to, memory_order_release)
#else
struct config *instance;
#define look() instance
#define publish(to) instance = to
#endif

static struct config *get(void)
{
    struct config *seen = look();
    fence();
    if (!seen) {
        pthread_mutex_lock(&mutex);
        seen = look();
        if (!seen) {
            config.port = 80;
            fence();
            publish(&config);
            seen = &config;
        }
        pthread_mutex_unlock(&mutex);
    }
    return seen;
}

static void *user(void *unused)
{
    assert(get()->port == 80);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
