/* Independent reads of independent writes with lwsync between the reads. It keeps the reads in order, which is
 * enough where all see a write at the same time; on power the readers may still disagree.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#define lwsync() __asm__ __volatile__("lwsync" ::: "memory")

int x, y;
int r0, r1, r2, r3;

static void *write_x(void *unused)
{
    x = 1;
    return NULL;
}

static void *write_y(void *unused)
{
    y = 1;
    return NULL;
}

static void *read_xy(void *unused)
{
    r0 = x;
    lwsync();
    r1 = y;
    return NULL;
}

static void *read_yx(void *unused)
{
    r2 = y;
    lwsync();
    r3 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b, c, d;
    pthread_create(&a, NULL, write_x, NULL);
    pthread_create(&b, NULL, write_y, NULL);
    pthread_create(&c, NULL, read_xy, NULL);
    pthread_create(&d, NULL, read_yx, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    pthread_join(d, NULL);
    assert(!(r0 == 1 && r1 == 0 && r2 == 1 && r3 == 0));
    return 0;
}
