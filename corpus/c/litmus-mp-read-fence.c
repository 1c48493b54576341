/* Message passing with a fence in the reader only. The writes still change places where the model lets them.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int data, ready;

static void *writer(void *unused)
{
    data = 1;
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = ready;
    __sync_synchronize();
    int got = data;
    assert(!(seen == 1 && got == 0));
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
