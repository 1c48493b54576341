/* An address that went through memory is cut to 32 bits.
 * @expect sc: UNKNOWN (line 23: a part of an address is used as a number, and nobody knows which number)
 * @expect tso: UNKNOWN (line 23: a part of an address is used as a number, and nobody knows which number)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int object;
_Atomic uintptr_t handle;

static void *one(void *unused)
{
    atomic_store(&handle, (uintptr_t)&object);
    return NULL;
}

static void *two(void *unused)
{
    uintptr_t seen = atomic_load(&handle);
    assert((uint32_t)seen < 0x80000000u);
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
