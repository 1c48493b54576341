/* The hand-over of a socket to an idle worker in Apache's fdqueue: a count of idle workers by compare-and-swap and
 * atomic decrement, the queue itself under a mutex with a condition. Mutex and atomics are full fences: consistent
 * everywhere.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

struct element {
    int socket;
    int *pool;
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty;
    int length;
    struct element elements[2];
};

struct queue queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, { { 0, 0 }, { 0, 0 } } };
int idlers;
int pool;

static void reserve_idle_worker(void)
{
    int idle;
    do {
        while ((idle = idlers) == 0)
            ;
    } while (!__sync_bool_compare_and_swap(&idlers, idle, idle - 1));
}

static void *listener(void *unused)
{
    reserve_idle_worker();
    pool = 7;
    pthread_mutex_lock(&queue.mutex);
    struct element *element = &queue.elements[queue.length];
    element->socket = 42;
    element->pool = &pool;
    queue.length++;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&queue.mutex);
    return NULL;
}

static void *worker(void *unused)
{
    __sync_fetch_and_add(&idlers, 1);
    pthread_mutex_lock(&queue.mutex);
    while (queue.length == 0)
        pthread_cond_wait(&queue.not_empty, &queue.mutex);
    queue.length--;
    struct element element = queue.elements[queue.length];
    pthread_mutex_unlock(&queue.mutex);
    assert(element.socket == 42);
    assert(*element.pool == 7);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, listener, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
