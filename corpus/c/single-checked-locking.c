/* A lazy object without any lock: both threads may make it, one of the two is lost. Wrong everywhere if it must be
 * made once.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int made;
int instance;

static void *one(void *unused)
{
    if (!instance) {
        made = made + 1;
        instance = 1;
    }
    return NULL;
}

static void *two(void *unused)
{
    if (!instance) {
        made = made + 1;
        instance = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(made == 1);
    return 0;
}
