/* A ring made for one producer, used by two: both take the same place and one item is lost. Wrong everywhere.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int ring[4];
int tail;

static void *one(void *unused)
{
    ring[tail] = 1;
    tail = tail + 1;
    return NULL;
}

static void *two(void *unused)
{
    ring[tail] = 2;
    tail = tail + 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(ring[0] + ring[1] == 3);
    return 0;
}
