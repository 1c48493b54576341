/* A reference count. Each thread uses the object and drops its reference; the last one frees it. If dropping is relaxed, Arm, RISC-V and Power may
 * let the count fall before the use has taken place, and the other thread frees too early. With -DFIXED dropping is
 * a release, and who frees acquires: as every book says.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define DROP memory_order_acq_rel
#else
#define DROP memory_order_relaxed
#endif

struct object {
    atomic_int count;
    int value;
};

static struct object *object;

static void *user(void *unused)
{
    (void)unused;
    (void)*(volatile int *)&object->value;
    if (atomic_fetch_sub_explicit(&object->count, 1, DROP) == 1)
        free(object);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    object = malloc(sizeof *object);
    atomic_init(&object->count, 2);
    object->value = 3;
    pthread_create(&first, NULL, user, NULL);
    pthread_create(&second, NULL, user, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
