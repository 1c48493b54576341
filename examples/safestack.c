/* A stack of indices in an array, after a proposal that withstood much testing: pop marks its entry and may put
 * the head back. Three threads that pop and push again can own one index twice, but only after many switches
 * between them. With -DTHREADS=4 there are four.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect ppc: UNSAFE
 * @expect aarch64: UNSAFE
 * @expect rc11: UNSAFE
 * @options --unwind 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 3
#endif

#define SIZE 3
#define ROUNDS 2

atomic_int head, count;
atomic_int next[SIZE];
atomic_int owner[SIZE];

static int pop(void)
{
    while (atomic_load(&count) > 1) {
        int first = atomic_load(&head);
        int second = atomic_exchange(&next[first], -1);
        if (second >= 0) {
            int expected = first;
            if (atomic_compare_exchange_strong(&head, &expected, second)) {
                atomic_fetch_sub(&count, 1);
                return first;
            }
            atomic_exchange(&next[first], second);
        }
    }
    return -1;
}

static void push(int index)
{
    int first = atomic_load(&head);
    do {
        atomic_store(&next[index], first);
    } while (!atomic_compare_exchange_strong(&head, &first, index));
    atomic_fetch_add(&count, 1);
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        int index;
        do {
            index = pop();
        } while (index < 0);
        atomic_store(&owner[index], me);
        assert(atomic_load(&owner[index]) == me);
        push(index);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    atomic_store(&count, SIZE);
    for (int i = 0; i < SIZE; i++)
        atomic_store(&next[i], i + 1 < SIZE ? i + 1 : 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
