/* Each thread writes its part, both meet at a barrier, each reads the other's part. The barrier blocks and is a
 * full fence.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DNO_BARRIER sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int left_part, right_part;

static void *left(void *unused)
{
    left_part = 1;
#ifndef NO_BARRIER
    pthread_barrier_wait(&barrier);
#endif
    assert(right_part == 1);
    return NULL;
}

static void *right(void *unused)
{
    right_part = 1;
#ifndef NO_BARRIER
    pthread_barrier_wait(&barrier);
#endif
    assert(left_part == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
