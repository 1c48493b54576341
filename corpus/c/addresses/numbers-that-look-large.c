/* Large numbers are no addresses: bit sets and counters of 64 bits.
 * @expect sc: SAFE
 * @expect tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

_Atomic uint64_t set;

static void *one(void *unused)
{
    atomic_fetch_or(&set, 1ull << 40);
    atomic_fetch_or(&set, 1ull << 41);
    return NULL;
}

static void *two(void *unused)
{
    uint64_t seen = atomic_load(&set);
    assert((seen & (1ull << 41)) == 0 || (seen & (1ull << 40)) != 0);
    assert(seen % 3 != 2 && (uint32_t)seen == 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
