/* A readers-writer lock by hand: a count of readers, or -1 for a writer. The reader must not see half a change;
 * with relaxed atomics it does where a release may overtake the writes before it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#endif

atomic_int state;
int left, right;

static void *writer(void *unused)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, -1)) {
        left = 1;
        right = 1;
        atomic_store_explicit(&state, 0, RELEASE);
    }
    return NULL;
}

static void *reader(void *unused)
{
    int readers = atomic_load_explicit(&state, ACQUIRE);
    if (readers >= 0 && atomic_compare_exchange_strong(&state, &readers, readers + 1)) {
        int a = left;
        int b = right;
        atomic_fetch_sub(&state, 1);
        assert(a == b);
    }
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
