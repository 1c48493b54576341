/* A configuration is replaced: readers take the pointer, look whether it is current, and use it. The writer frees the old one too
 * early. With -DFIXED the old one is freed when the reader has ended.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; ppc: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int version;
};

static struct config *_Atomic current;
static struct config *old;

static void *reader(void *unused)
{
    (void)unused;
    struct config *own = atomic_load_explicit(&current, memory_order_acquire);
    if (own == atomic_load_explicit(&current, memory_order_acquire))
        assert(own->version > 0);
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    struct config *next = malloc(sizeof *next);
    next->version = 2;
    old = atomic_exchange_explicit(&current, next, memory_order_acq_rel);
#ifndef FIXED
    free(old);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct config *one = malloc(sizeof *one);
    one->version = 1;
    atomic_init(&current, one);
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#ifdef FIXED
    free(old);
#endif
    return 0;
}
