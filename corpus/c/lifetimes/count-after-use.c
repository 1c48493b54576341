/* A reference count whose last user frees the object. A thread that takes a reference first looks at the pointer and then counts: in
 * between the other one drops the last reference. With -DFIXED every thread has its reference before it starts.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int count;
    int value;
};

static struct object *object;

static void put(struct object *own)
{
    if (atomic_fetch_sub(&own->count, 1) == 1)
        free(own);
}

static void *late(void *unused)
{
    (void)unused;
    struct object *own = object;
#ifndef FIXED
    atomic_fetch_add(&own->count, 1);
#endif
    (void)own->value;
    put(own);
    return NULL;
}

static void *early(void *unused)
{
    (void)unused;
    put(object);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    object = malloc(sizeof *object);
    object->value = 7;
#ifdef FIXED
    atomic_init(&object->count, 2);
#else
    atomic_init(&object->count, 1);
#endif
    pthread_create(&first, NULL, early, NULL);
    pthread_create(&second, NULL, late, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
