/* A thread publishes the address of a variable on its own stack and waits until the other has changed it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic(atomic_int *) place;

static void *owner(void *unused)
{
    atomic_int mine = 1;
    atomic_store(&place, &mine);
    while (atomic_load(&mine) == 1)
        ;
    assert(atomic_load(&mine) == 2);
    return NULL;
}

static void *visitor(void *unused)
{
    atomic_int *theirs = atomic_load(&place);
    if (theirs)
        atomic_store(theirs, 2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, visitor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
