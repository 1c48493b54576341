/* Fibonacci hashing of a pointer that went through memory.
 * @expect sc: UNKNOWN (line 23: the number of an address is computed with, or compared, and nobody knows which number it is)
 * @expect tso: UNKNOWN (line 23: the number of an address is computed with, or compared, and nobody knows which number it is)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

long object;
_Atomic uintptr_t handle;

static void *one(void *unused)
{
    atomic_store(&handle, (uintptr_t)&object);
    return NULL;
}

static void *two(void *unused)
{
    uintptr_t key = atomic_load(&handle);
    assert((key * 11400714819323198485ull) >> 63 == 0);
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
