/* A grace period that counts readers: the writer waits until the counter is zero, then frees. A reader takes the pointer before it
 * counts itself, so the writer may see no reader. With -DFIXED it counts itself first.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic shared;
static atomic_int readers;

static void *reader(void *unused)
{
    (void)unused;
#ifdef FIXED
    atomic_fetch_add(&readers, 1);
    int *own = atomic_load(&shared);
#else
    int *own = atomic_load(&shared);
    atomic_fetch_add(&readers, 1);
#endif
    if (own != NULL)
        (void)*(volatile int *)own;
    atomic_fetch_sub(&readers, 1);
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    int *own = atomic_exchange(&shared, NULL);
    if (atomic_load(&readers) == 0)
        free(own);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int *node = malloc(sizeof *node);
    *node = 1;
    atomic_init(&shared, node);
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
