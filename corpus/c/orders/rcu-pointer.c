/* A pointer to something new is published twice and read twice; whoever sees it finds it initialised, and never goes back to an older
 * one. Every access to the pointer is sequentially consistent. A store that releases is enough where dependencies are kept.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct thing {
    int a, b;
};

static struct thing things[3] = { { 1, 1 } };
static _Atomic(struct thing *) current = &things[0];

static void publish(struct thing *thing, int value)
{
    thing->a = value;
    thing->b = value;
    atomic_store_explicit(&current, thing, memory_order_seq_cst);
}

static int look(void)
{
    struct thing *seen = atomic_load_explicit(&current, memory_order_seq_cst);
    int a = seen->a, b = seen->b;
    assert(a == b && a != 0);
    return a;
}

static void *writer(void *unused)
{
    publish(&things[1], 2);
    publish(&things[2], 3);
    return NULL;
}

static void *reader(void *unused)
{
    int first = look();
    int second = look();
    assert(first <= second);
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
