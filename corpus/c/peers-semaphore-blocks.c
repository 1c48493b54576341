/* A semaphore of no units blocks until another thread posts. Who lets the wait do nothing raises a false alarm.
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

sem_t ping, pong;
int ball;

static void *one(void *unused)
{
    ball = 1;
    sem_post(&ping);
    sem_wait(&pong);
    assert(ball == 2);
    return NULL;
}

static void *two(void *unused)
{
    sem_wait(&ping);
    assert(ball == 1);
    ball = 2;
    sem_post(&pong);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
