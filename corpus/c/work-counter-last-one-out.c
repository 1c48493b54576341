/* The last of two workers, found by an atomic count, reads what both have written. The count orders the writes
 * before it and the reads after it, unless it is relaxed and no fence of its own.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: SAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

int parts[2];
atomic_int left = 2;

static void *one(void *unused)
{
    parts[0] = 1;
    if (atomic_fetch_sub_explicit(&left, 1, ORDER) == 1)
        assert(parts[0] + parts[1] == 3);
    return NULL;
}

static void *two(void *unused)
{
    parts[1] = 2;
    if (atomic_fetch_sub_explicit(&left, 1, ORDER) == 1)
        assert(parts[0] + parts[1] == 3);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
