/* A ring for many producers and consumers in the manner of Vyukov: each slot has a number that says whose turn it is. Two threads, each
 * of which puts a value and takes one. Every access to numbers and positions is sequentially consistent.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

struct slot {
    atomic_uint turn;
    int value;
};

static struct slot slots[SIZE] = { { 0, 0 }, { 1, 0 } };
static atomic_uint head, tail;
static int got[2];

static int put(int value)
{
    unsigned at = atomic_load_explicit(&tail, memory_order_seq_cst);
    for (;;) {
        struct slot *slot = &slots[at % SIZE];
        int ahead = (int)(atomic_load_explicit(&slot->turn, memory_order_seq_cst) - at);
        if (ahead < 0)
            return 0;
        if (ahead > 0) {
            at = atomic_load_explicit(&tail, memory_order_seq_cst);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&tail, &at, at + 1, memory_order_seq_cst, memory_order_seq_cst)) {
            slot->value = value;
            atomic_store_explicit(&slot->turn, at + 1, memory_order_seq_cst);
            return 1;
        }
    }
}

static int take(void)
{
    unsigned at = atomic_load_explicit(&head, memory_order_seq_cst);
    for (;;) {
        struct slot *slot = &slots[at % SIZE];
        int ahead = (int)(atomic_load_explicit(&slot->turn, memory_order_seq_cst) - (at + 1));
        if (ahead < 0)
            return -1;
        if (ahead > 0) {
            at = atomic_load_explicit(&head, memory_order_seq_cst);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&head, &at, at + 1, memory_order_seq_cst, memory_order_seq_cst)) {
            int value = slot->value;
            atomic_store_explicit(&slot->turn, at + SIZE, memory_order_seq_cst);
            return value;
        }
    }
}

static void *worker(void *which)
{
    int me = which != NULL;
    int put_in = put(me + 1);
    assert(put_in);
    got[me] = take();
    assert(got[me] != 0);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, &got);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(got[0] < 0 || got[0] != got[1]);
    return 0;
}
