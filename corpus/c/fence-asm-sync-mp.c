/* Message passing with sync on both sides.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int data, ready;

static void *writer(void *unused)
{
    data = 1;
    __asm__ __volatile__("sync" ::: "memory");
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = ready;
    __asm__ __volatile__("sync" ::: "memory");
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
