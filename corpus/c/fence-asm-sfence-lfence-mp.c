/* Message passing with sfence between the writes and lfence between the reads: each orders its side. On power they
 * are not cumulative, and the reader may still miss the data.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int data, ready;

static void *writer(void *unused)
{
    data = 1;
    __asm__ __volatile__("sfence" ::: "memory");
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = ready;
    __asm__ __volatile__("lfence" ::: "memory");
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
