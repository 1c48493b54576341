/* The deque of Chase and Lev: the owner pushes two tasks and takes from the bottom, a thief steals twice from the top; no task is taken twice. Every access to the indices is sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

static atomic_int top, bottom;
static atomic_int tasks[SIZE];
static int taken, stolen[2];

static void push(int task)
{
    int at = atomic_load_explicit(&bottom, memory_order_seq_cst);
    atomic_store_explicit(&tasks[at % SIZE], task, memory_order_seq_cst);
    atomic_store_explicit(&bottom, at + 1, memory_order_seq_cst);
}

static int take(void)
{
    int at = atomic_load_explicit(&bottom, memory_order_seq_cst) - 1;
    atomic_store_explicit(&bottom, at, memory_order_seq_cst);
    int first = atomic_load_explicit(&top, memory_order_seq_cst);
    if (first > at) {
        atomic_store_explicit(&bottom, at + 1, memory_order_seq_cst);
        return 0;
    }
    int task = atomic_load_explicit(&tasks[at % SIZE], memory_order_seq_cst);
    if (first == at) {
        if (!atomic_compare_exchange_strong_explicit(&top, &first, first + 1, memory_order_seq_cst, memory_order_seq_cst))
            task = 0;
        atomic_store_explicit(&bottom, at + 1, memory_order_seq_cst);
    }
    return task;
}

static int steal(void)
{
    int first = atomic_load_explicit(&top, memory_order_seq_cst);
    int last = atomic_load_explicit(&bottom, memory_order_seq_cst);
    if (first >= last)
        return 0;
    int task = atomic_load_explicit(&tasks[first % SIZE], memory_order_seq_cst);
    if (!atomic_compare_exchange_strong_explicit(&top, &first, first + 1, memory_order_seq_cst, memory_order_seq_cst))
        return 0;
    return task;
}

static void *owner(void *unused)
{
    push(1);
    push(2);
    taken = take();
    return NULL;
}

static void *thief(void *unused)
{
    stolen[0] = steal();
    stolen[1] = steal();
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, owner, NULL);
    pthread_create(&two, NULL, thief, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(taken == 0 || (taken != stolen[0] && taken != stolen[1]));
    assert(stolen[0] == 0 || stolen[0] != stolen[1]);
    return 0;
}
