/* Threads that call a recursive function: a sum over an array by halves.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int numbers[4] = { 1, 2, 3, 4 };
int results[2];

static int sum(int from, int to)
{
    if (to - from == 1)
        return numbers[from];
    int middle = (from + to) / 2;
    return sum(from, middle) + sum(middle, to);
}

static void *half(void *arg)
{
    int me = (int)(long)arg;
    results[me] = sum(2 * me, 2 * me + 2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, half, (void *)0L);
    pthread_create(&b, NULL, half, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(results[0] + results[1] == 10);
    return 0;
}
