/* A thread's own accesses to one location are in order in every model: it reads its own write or a newer one, and
 * of two writes the later one stays.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x, z;

static void *left(void *unused)
{
    x = 1;
    int a = x;
    assert(a == 1 || a == 2);
    z = 1;
    z = 2;
    return NULL;
}

static void *right(void *unused)
{
    int a = x;
    x = 2;
    assert(a == 0 || a == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(x == 1 || x == 2);
    assert(z == 2);
    return 0;
}
