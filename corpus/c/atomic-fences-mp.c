/* Message passing by relaxed accesses between fences: release before the flag, acquire after it. With sequentially
 * consistent fences also on power.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 * @expect -DSEQ_CST sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef SEQ_CST
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

int data;
atomic_int ready;

static void *writer(void *unused)
{
    data = 1;
    atomic_thread_fence(RELEASE);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

static void *reader(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(ACQUIRE);
        assert(data == 1);
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
