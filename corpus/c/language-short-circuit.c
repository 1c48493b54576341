/* The right side of && is read only if the left one holds: no access happens that the program does not make.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int ready;
int *place;
int target = 1;

static void *writer(void *unused)
{
    place = &target;
    __sync_synchronize();
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = ready;
    __sync_synchronize();
    assert(!(seen && *place != 1));
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
