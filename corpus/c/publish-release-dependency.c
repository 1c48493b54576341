/* Publication as in RCU: release store of a pointer, relaxed load and an address dependency. Enough on rmo; alpha
 * keeps no dependency; this model of power wants a full fence in the writer.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DSYNC sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: UNSAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct item {
    int left, right;
};

struct item first = { 1, 1 }, second;
_Atomic(struct item *) shared = &first;

static void *writer(void *unused)
{
    second.left = 2;
    second.right = 2;
#ifdef SYNC
    atomic_thread_fence(memory_order_seq_cst);
#endif
    atomic_store_explicit(&shared, &second, memory_order_release);
    return NULL;
}

static void *reader(void *unused)
{
    struct item *seen = atomic_load_explicit(&shared, memory_order_relaxed);
    int a = seen->left;
    int b = seen->right;
    assert(a == b && a != 0);
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
