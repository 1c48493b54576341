/* A pointer to something new is published; whoever sees it finds it initialised. Every access to the pointer is sequentially consistent. A store that releases is enough where dependencies are kept.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct thing {
    int a, b;
};

static struct thing old = { 1, 1 }, fresh;
static _Atomic(struct thing *) current = &old;

static void *writer(void *unused)
{
    fresh.a = 2;
    fresh.b = 2;
    atomic_store_explicit(&current, &fresh, memory_order_seq_cst);
    return NULL;
}

static void *reader(void *unused)
{
    struct thing *seen = atomic_load_explicit(&current, memory_order_seq_cst);
    int a = seen->a, b = seen->b;
    assert(a == b && a != 0);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
