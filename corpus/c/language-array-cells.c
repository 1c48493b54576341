/* Each thread counts in its own cell of one array. Cells are separate: no update is lost, in any model.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int counts[2];

static void *count(void *arg)
{
    int me = (int)(long)arg;
    counts[me]++;
    counts[me]++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, (void *)0L);
    pthread_create(&b, NULL, count, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counts[0] == 2 && counts[1] == 2);
    return 0;
}
