/* The property as SV-COMP writes it: reach_error() must not be reached. Message passing, wrong where writes or
 * reads change places.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <pthread.h>

extern void reach_error(void);

int data, ready;

static void *writer(void *unused)
{
    data = 1;
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    if (ready && data == 0)
        reach_error();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
