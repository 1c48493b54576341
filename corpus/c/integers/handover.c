/* One place, handed over again and again, and both sides count. Their counters depend on nothing that they read, and
 * still have to be variables: no number of constants is enough. Without its fence the place can be seen as taken
 * under PSO before the value is there.
 * @expect sc: SAFE (no overflow)
 * @expect tso: SAFE (no overflow)
 * @expect pso: UNSAFE
 * @expect -DFENCE pso: SAFE (no overflow)
 * @options --engine predicate
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define FENCE_HERE() __sync_synchronize()
#else
#define FENCE_HERE()
#endif

int data, head, tail;

static void *producer(void *arg)
{
    int next = 0;

    while (1) {
        while (head - tail >= 1)
            ;
        data = next;
        FENCE_HERE();
        head = head + 1;
        next = next + 1;
    }
    return arg;
}

static void *consumer(void *arg)
{
    int expected = 0;

    while (1) {
        while (head == tail)
            ;
        assert(data == expected);
        expected = expected + 1;
        tail = tail + 1;
    }
    return arg;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, 0, producer, 0);
    consumer(0);
    return 0;
}
