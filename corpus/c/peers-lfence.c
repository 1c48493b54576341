/* lfence is no full fence: two threads that announce themselves, fence and look can both go in.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#define lfence() __asm__ __volatile__("lfence" ::: "memory")

int wants[2];
int inside[2];

static void *left(void *unused)
{
    wants[0] = 1;
    lfence();
    inside[0] = !wants[1];
    return NULL;
}

static void *right(void *unused)
{
    wants[1] = 1;
    lfence();
    inside[1] = !wants[0];
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
