/* Pointers into one array are compared, subtracted and stepped; an integer holds one on the way.
 * @expect sc: SAFE
 * @expect tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int ring[4] = { 1, 2, 3, 4 };
_Atomic(int *) position = ring;

static void *one(void *unused)
{
    atomic_store(&position, &ring[3]);
    return NULL;
}

static void *two(void *unused)
{
    int *at = atomic_load(&position);
    assert(at >= ring && at < ring + 4 && (at - ring == 0 || at - ring == 3));
    uintptr_t word = (uintptr_t)at + sizeof(int);
    assert(*((int *)word - 1) == (at == ring ? 1 : 4));
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
