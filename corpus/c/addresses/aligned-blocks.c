/* Blocks from malloc are multiples of 16, and what is declared to be aligned is: the bits below hold a counter.
 * @expect sc: SAFE
 * @expect tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

_Alignas(64) long line[8];
_Atomic uintptr_t tagged;

static void *one(void *unused)
{
    atomic_store(&tagged, (uintptr_t)line | 33);
    return NULL;
}

static void *two(void *unused)
{
    uintptr_t seen = atomic_load(&tagged);
    if (seen) {
        assert((seen & 63) == 33);
        assert((long *)(seen - 33) == line);
    }
    long *block = malloc(sizeof(long));
    assert(((uintptr_t)block & 15) == 0);
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
