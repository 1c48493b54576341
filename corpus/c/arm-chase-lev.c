/* The work-stealing deque of Chase and Lev with the memory orders of C11 that were published for it (Lê and others, PPoPP 2013), cut to
 * one push that grows the array and one steal. The bigger array is published with a relaxed store, so a thief that learns of it by
 * that alone may read cells that were not copied yet; Norris and Demsky found this in 2013. With -DFIXED the store is a release.
 * The address of the array orders the thief's reads behind the pointer on all these machines.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: UNSAFE
 * @expect riscv: UNSAFE
 * @expect ppc: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

struct array {
    int size;
    atomic_int cells[2];
};

static struct array small = {1, {7, 0}}, large;
static _Atomic(struct array *) array = &small;
static atomic_int top, bottom = 1;

static void push(int value)
{
    int end = atomic_load_explicit(&bottom, memory_order_relaxed);
    int start = atomic_load_explicit(&top, memory_order_acquire);
    struct array *a = atomic_load_explicit(&array, memory_order_relaxed);
    if (end - start > a->size - 1) {
        large.size = 2;
        for (int at = start; at < end; at++) {
            int kept = atomic_load_explicit(&a->cells[at % a->size], memory_order_relaxed);
            atomic_store_explicit(&large.cells[at % 2], kept, memory_order_relaxed);
        }
        atomic_store_explicit(&array, &large, PUBLISH);
        a = &large;
    }
    atomic_store_explicit(&a->cells[end % a->size], value, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, end + 1, memory_order_relaxed);
}

/* The value, or -1 where there is none. */
static int steal(void)
{
    int start = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int end = atomic_load_explicit(&bottom, memory_order_acquire);
    if (start >= end)
        return -1;
    struct array *a = atomic_load_explicit(&array, memory_order_relaxed);
    int value = atomic_load_explicit(&a->cells[start % 2 % a->size], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &start, start + 1, memory_order_seq_cst, memory_order_relaxed))
        return -1;
    return value;
}

static void *owner(void *unused)
{
    push(8);
    return NULL;
}

static void *thief(void *unused)
{
    int value = steal();
    assert(value == 7 || value == -1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, owner, NULL);
    pthread_create(&two, NULL, thief, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
