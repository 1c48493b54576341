/* Threads and a mutex of C11: thrd_create, mtx_lock, thrd_join with results.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <threads.h>

mtx_t mutex;
int counter;

static int count(void *arg)
{
    mtx_lock(&mutex);
    counter++;
    mtx_unlock(&mutex);
    return *(int *)arg;
}

int main(void)
{
    thrd_t a, b;
    int three = 3, four = 4, first, second;
    mtx_init(&mutex, mtx_plain);
    thrd_create(&a, count, &three);
    thrd_create(&b, count, &four);
    thrd_join(a, &first);
    thrd_join(b, &second);
    assert(counter == 2);
    assert(first + second == 7);
    mtx_destroy(&mutex);
    return 0;
}
