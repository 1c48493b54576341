/* A semaphore hands a value over: wait blocks until post. Both are full fences.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t full;
int value;

static void *producer(void *unused)
{
    value = 3;
    sem_post(&full);
    return NULL;
}

static void *consumer(void *unused)
{
    sem_wait(&full);
    assert(value == 3);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&full, 0, 0);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
