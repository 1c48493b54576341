/* A thread reads its own write back from its buffer and then the other's flag. Who orders the write before the
 * read that takes its value misses the bug: store forwarding needs no order.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int wants[2];
int inside[2];

static void *left(void *unused)
{
    wants[0] = 1;
    if (wants[0] == 1 && wants[1] == 0)
        inside[0] = 1;
    return NULL;
}

static void *right(void *unused)
{
    wants[1] = 1;
    if (wants[1] == 1 && wants[0] == 0)
        inside[1] = 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(inside[0] && inside[1]));
    return 0;
}
