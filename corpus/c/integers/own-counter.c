/* As handover.c, but both sides count in a global variable of their own. Nobody else uses it, and still it has to be
 * a variable: no number of constants is enough. Without its fence the place can be seen as taken
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
int next;     /* the producer's */
int expected; /* the consumer's */

static void *producer(void *arg)
{
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
