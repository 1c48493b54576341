/* A thread that is done with a buffer says so with a relaxed store; the other one then frees it. On machines that keep reads before
 * later stores this is right; on Arm and RISC-V the read of the buffer can take place after it was freed. With -DFIXED the store is a release.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define DONE memory_order_release
#else
#define DONE memory_order_relaxed
#endif

static int *buffer;
static atomic_int done;

static void *reader(void *unused)
{
    (void)unused;
    (void)*(volatile int *)buffer;
    atomic_store_explicit(&done, 1, DONE);
    return NULL;
}

static void *owner(void *unused)
{
    (void)unused;
    if (atomic_load_explicit(&done, memory_order_acquire) == 1)
        free(buffer);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    buffer = malloc(sizeof *buffer);
    *buffer = 5;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, owner, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
