/* Which instructions the compiler may use decides what Arm does. An exchange that is a pair of exclusives lets a later load pass its store;
 * SWPAL of version 8.1 is a full barrier. A load that acquires is LDAR, which waits for earlier releases; LDAPR of version
 * 8.3 does not.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: UNSAFE; aarch64+lse: SAFE; aarch64+rcpc: UNSAFE; aarch64+lse+rcpc: SAFE
 * @expect -DRELEASE sc: SAFE; tso: UNSAFE; aarch64: SAFE; aarch64+lse: SAFE; aarch64+rcpc: UNSAFE; aarch64+lse+rcpc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int first, second;

#ifdef RELEASE
#define WRITE(place) atomic_store_explicit(place, 1, memory_order_release)
#define READ(place) atomic_load_explicit(place, memory_order_acquire)
#else
#define WRITE(place) atomic_exchange(place, 1)
#define READ(place) atomic_load_explicit(place, memory_order_relaxed)
#endif

static void *one(void *unused)
{
    WRITE(&x);
    first = READ(&y);
    return NULL;
}

static void *two(void *unused)
{
    WRITE(&y);
    second = READ(&x);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first == 1 || second == 1);
    return 0;
}
