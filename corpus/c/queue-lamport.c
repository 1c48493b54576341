/* Lamport's queue with C11 atomics: release and acquire on the two indices. That passes items everywhere but on
 * this model of power; sequentially consistent indices do it there too.
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
#define ACQUIRE memory_order_seq_cst
#define RELEASE memory_order_seq_cst
#else
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#endif

#define EMPTY (-1)

int items[2];
atomic_int head, tail;

static int put(int item)
{
    int at = atomic_load_explicit(&tail, memory_order_relaxed);
    if (at - atomic_load_explicit(&head, ACQUIRE) == 2)
        return 0;
    items[at % 2] = item;
    atomic_store_explicit(&tail, at + 1, RELEASE);
    return 1;
}

static int get(void)
{
    int at = atomic_load_explicit(&head, memory_order_relaxed);
    if (at == atomic_load_explicit(&tail, ACQUIRE))
        return EMPTY;
    int item = items[at % 2];
    atomic_store_explicit(&head, at + 1, RELEASE);
    return item;
}

static void *producer(void *unused)
{
    assert(put(1));
    put(2);
    return NULL;
}

static void *consumer(void *unused)
{
    int first = get();
    int second = get();
    assert(first == EMPTY || first == 1);
    assert(second == EMPTY || second == (first == EMPTY ? 1 : 2));
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
