/* Two writers of one location, two readers who see the writes in opposite orders. Each location has one order of
 * its writes in every model.
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
int r0, r1, r2, r3;

static void *one(void *unused)
{
    x = 1;
    return NULL;
}

static void *two(void *unused)
{
    x = 2;
    return NULL;
}

static void *reader(void *unused)
{
    r0 = x;
    r1 = x;
    return NULL;
}

static void *other(void *unused)
{
    r2 = x;
    r3 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b, c, d;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_create(&c, NULL, reader, NULL);
    pthread_create(&d, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    pthread_join(d, NULL);
    assert(!(r0 == 1 && r1 == 2 && r2 == 2 && r3 == 1));
    return 0;
}
