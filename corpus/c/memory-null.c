/* A pointer that may still be null is followed. An access that goes to no object is an error like a failed
 * assertion.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DCAREFUL sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int target = 1;
int *shared;
int seen;

static void *writer(void *unused)
{
    shared = &target;
    return NULL;
}

static void *reader(void *unused)
{
    int *mine = shared;
#ifdef CAREFUL
    if (mine)
#endif
        seen = *mine;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
