/* Two semaphores taken in opposite orders: the threads can wait for each other for ever. Other checkers call that
 * successful.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @options --property deadlock
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t first, second;

static void *one(void *unused)
{
    sem_wait(&first);
    sem_wait(&second);
    sem_post(&second);
    sem_post(&first);
    return NULL;
}

static void *two(void *unused)
{
    sem_wait(&second);
    sem_wait(&first);
    sem_post(&first);
    sem_post(&second);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&first, 0, 1);
    sem_init(&second, 0, 1);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
