/* A shared pointer is assigned while others follow it. Other checkers refuse this; here it is a location that
 * holds an address.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int one = 1, two = 2;
int *shared = &one;

static void *switcher(void *unused)
{
    shared = &two;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = *shared;
    assert(seen == 1 || seen == 2);
    return NULL;
}

static void *writer(void *unused)
{
    *shared = 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, switcher, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&c, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(shared == &two);
    assert(one == 1);
    return 0;
}
