/* An int is a multiple of 4, no more: the third bit can be either.
 * @expect sc: UNKNOWN (line 23: a part of an address is used as a number, and nobody knows which number)
 * @expect tso: UNKNOWN (line 23: a part of an address is used as a number, and nobody knows which number)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int object;
_Atomic(int *) where;

static void *one(void *unused)
{
    atomic_store(&where, &object);
    return NULL;
}

static void *two(void *unused)
{
    uintptr_t seen = (uintptr_t)atomic_load(&where);
    assert((seen & 7) != 4);
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
