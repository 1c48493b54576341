/* Write-to-read causality with a data and an address dependency. That is enough on rmo, where all see a write at
 * the same time; not on alpha, which keeps no dependency, nor on power, where a write reaches threads one by one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int x[1], y;
int r0, r1, r2;

static void *first(void *unused)
{
    x[0] = 1;
    return NULL;
}

static void *second(void *unused)
{
    int a = x[0];
    y = a;
    r0 = a;
    return NULL;
}

static void *third(void *unused)
{
    int b = y;
    r2 = x[b ^ b];
    r1 = b;
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_create(&c, NULL, third, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(!(r0 == 1 && r1 == 1 && r2 == 0));
    return 0;
}
