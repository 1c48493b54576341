/* x++ on an object of atomic type is sequentially consistent. Who makes it relaxed raises a false alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

_Atomic int x, y;
int r0, r1;

static void *left(void *unused)
{
    x++;
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    y++;
    r1 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
