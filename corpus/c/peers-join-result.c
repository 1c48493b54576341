/* pthread_join hands over what the thread returned. Who loses it raises a false alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

static void *square(void *arg)
{
    long number = (long)arg;
    return (void *)(number * number);
}

int main(void)
{
    pthread_t a, b;
    void *four, *nine;
    pthread_create(&a, NULL, square, (void *)2L);
    pthread_create(&b, NULL, square, (void *)3L);
    pthread_join(a, &four);
    pthread_join(b, &nine);
    assert((long)four + (long)nine == 13);
    return 0;
}
