/* Tests for null, for errors in pointers and for small numbers are the same for every address.
 * @expect sc: SAFE
 * @expect tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int object;
_Atomic(void *) where;

static void *one(void *unused)
{
    atomic_store(&where, &object);
    return NULL;
}

static void *two(void *unused)
{
    void *seen = atomic_load(&where);
    if (!seen)
        return NULL;
    assert((uintptr_t)seen < (uintptr_t)-4095 && seen != (void *)1);
    assert((uintptr_t)seen % sizeof(int) == 0);
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
