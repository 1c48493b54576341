/* Two threads drop a reference each, with a load and a store instead of one step: both see the count fall to zero and both free. With
 * -DFIXED the count is decremented atomically, and one of them is the last.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int count;
};

static struct object *object;

static void *drop(void *unused)
{
    (void)unused;
#ifdef FIXED
    int before = atomic_fetch_sub(&object->count, 1);
#else
    int before = atomic_load(&object->count);
    atomic_store(&object->count, before - 1);
    before = atomic_load(&object->count) + 1;
#endif
    if (before == 1)
        free(object);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    object = malloc(sizeof *object);
    atomic_init(&object->count, 2);
    pthread_create(&first, NULL, drop, NULL);
    pthread_create(&second, NULL, drop, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
