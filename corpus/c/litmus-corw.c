/* A thread reads a location and then writes it: the read must not see a write that overwrites its own.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x;
int r0;

static void *left(void *unused)
{
    r0 = x;
    x = 1;
    return NULL;
}

static void *right(void *unused)
{
    x = 2;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r0 == 2 && x == 2));
    return 0;
}
