/* S with a full fence in the first thread and a data dependency in the second: the write of 1 depends on the read
 * of the flag. Alpha alone lets it go first.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y;
int r0;

static void *left(void *unused)
{
    x = 2;
    __sync_synchronize();
    y = 1;
    return NULL;
}

static void *right(void *unused)
{
    int a = y;
    x = a;
    r0 = a;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r0 == 1 && x == 2));
    return 0;
}
