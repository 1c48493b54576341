/* Message passing with sync in the writer, and a branch and isync in the reader. On power that keeps the read of
 * the data behind the branch; on rmo and alpha isync means nothing.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
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
    if (ready == 1) {
        __asm__ __volatile__("isync" ::: "memory");
        assert(data == 1);
    }
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
