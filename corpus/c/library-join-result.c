/* pthread_join gives what the thread returned, whether by return or by pthread_exit.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int results[2];

static void *returns(void *arg)
{
    int *place = arg;
    *place = 1;
    return place;
}

static void *exits(void *arg)
{
    int *place = arg;
    *place = 2;
    pthread_exit(place);
}

int main(void)
{
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, returns, &results[0]);
    pthread_create(&b, NULL, exits, &results[1]);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert(*(int *)first == 1 && *(int *)second == 2);
    return 0;
}
