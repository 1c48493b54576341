/* A locked addition to the stack is a full fence. Who skips what he does not know raises a false alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#define fence() __asm__ __volatile__("lock; addl $0,0(%%rsp)" ::: "memory")

int wants[2];
int inside[2];

static void *left(void *unused)
{
    wants[0] = 1;
    fence();
    inside[0] = !wants[1];
    return NULL;
}

static void *right(void *unused)
{
    wants[1] = 1;
    fence();
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
