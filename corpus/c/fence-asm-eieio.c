/* Two writes in each of two threads, with eieio of Power between them: it orders writes, so 2+2W is gone.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#define eieio() __asm__ __volatile__("eieio" ::: "memory")

int x, y;

static void *left(void *unused)
{
    x = 1;
    eieio();
    y = 2;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
    eieio();
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
    assert(!(x == 1 && y == 1));
    return 0;
}
