/* A semaphore of two units lets two threads in, never three. Who does not count raises a false alarm.
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

sem_t units;
int inside;

static void *worker(void *unused)
{
    sem_wait(&units);
    int now = __sync_add_and_fetch(&inside, 1);
    assert(now <= 2);
    __sync_sub_and_fetch(&inside, 1);
    sem_post(&units);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    sem_init(&units, 0, 2);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
