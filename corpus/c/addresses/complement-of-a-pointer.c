/* A pointer hidden by its complement is compared as a number.
 * @expect sc: UNKNOWN (line 16: the number of an address is computed with, or compared, and nobody knows which number it is)
 * @expect tso: UNKNOWN (line 16: the number of an address is computed with, or compared, and nobody knows which number it is)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int object;
_Atomic uintptr_t hidden;

static void *one(void *unused)
{
    atomic_store(&hidden, ~(uintptr_t)&object);
    return NULL;
}

static void *two(void *unused)
{
    uintptr_t seen = atomic_load(&hidden);
    assert(seen == 0 || seen > 1000);
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
