/* A reader that works on its own copy of a shared pointer, and one that reads it twice. The pointer goes back to
 * null in between: the second reader is wrong everywhere.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DREAD_TWICE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int target = 1;
int *shared = &target;

static void *owner(void *unused)
{
    shared = NULL;
    return NULL;
}

static void *reader(void *unused)
{
#ifdef READ_TWICE
    assert(!shared || shared != NULL);
#else
    int *seen = shared;
    assert(!seen || *seen == 1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
