/* Objects from the heap: each call makes a new one, calloc gives zeros, and an array on the heap has cells of its
 * own.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *places[2];

static void *allocate(void *arg)
{
    int me = (int)(long)arg;
    int *array = calloc(2, sizeof *array);
    array[0] += me + 1;
    places[me] = array;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, allocate, (void *)0L);
    pthread_create(&b, NULL, allocate, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(places[0] != places[1]);
    assert(places[0][0] == 1 && places[0][1] == 0);
    assert(places[1][0] == 2 && places[1][1] == 0);
    free(places[0]);
    free(places[1]);
    return 0;
}
