/* A consumer frees what it is handed. The producer moves the pointer on while it fills the block, and the consumer may find it in the
 * middle. With -DFIXED the producer hands over the beginning only.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic slot;

static void *producer(void *unused)
{
    (void)unused;
    int *block = malloc(2 * sizeof *block);
#ifdef FIXED
    block[0] = 1;
    block[1] = 2;
    atomic_store(&slot, block);
#else
    block[0] = 1;
    block[1] = 2;
    atomic_store(&slot, block + 1);
    atomic_store(&slot, block);
#endif
    return NULL;
}

static void *consumer(void *unused)
{
    (void)unused;
    int *block = atomic_exchange(&slot, NULL);
    if (block != NULL)
        free(block);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, producer, NULL);
    pthread_create(&second, NULL, consumer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
