/* Dekker's mutual exclusion with two tries each, every access sequentially consistent. The stores to the flags and the loads behind them need that order; what is between entry and exit has to stay there.
 * @no-expect run by `weaken.rs` */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int data;

static void enter(int me)
{
    atomic_store_explicit(&flag[me], 1, memory_order_seq_cst);
    if (atomic_load_explicit(&flag[1 - me], memory_order_seq_cst) == 0) {
        data = me;
        assert(data == me);
    }
    atomic_store_explicit(&flag[me], 0, memory_order_seq_cst);
}

static void *first(void *unused)
{
    enter(0);
    enter(0);
    return NULL;
}

static void *second(void *unused)
{
    enter(1);
    enter(1);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
