/* A ring of two places between one producer and one consumer, plain variables. The consumer may see the index
 * before the item where writes or reads change places; fences on both sides keep the order.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

#define SIZE 2

int ring[SIZE];
int head, tail;

static void *producer(void *unused)
{
    for (int item = 1; item <= 3; item++) {
        while (tail - head == SIZE)
            ;
        fence();
        ring[tail % SIZE] = item;
        fence();
        tail = tail + 1;
    }
    return NULL;
}

static void *consumer(void *unused)
{
    for (int item = 1; item <= 3; item++) {
        while (head == tail)
            ;
        fence();
        assert(ring[head % SIZE] == item);
        fence();
        head = head + 1;
    }
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
