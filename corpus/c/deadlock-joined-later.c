/* A thread that joins one which is started after it. Nobody waits for ever.
 * @options --property deadlock
 * @expect sc: SAFE; tso: SAFE; aarch64: SAFE; ppc: SAFE
 * @expect -DNEVER sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; ppc: UNSAFE
 */
#include <pthread.h>
#include <semaphore.h>

pthread_t threads[2];
sem_t started;

static void *joins(void *arg)
{
    sem_wait(&started);
    pthread_join(threads[1], 0);
    return arg;
}

static void *ends(void *arg)
{
#ifdef NEVER
    sem_wait(&started);
    sem_wait(&started);
#endif
    return arg;
}

int main(void)
{
    sem_init(&started, 0, 0);
    pthread_create(&threads[0], 0, joins, 0);
    pthread_create(&threads[1], 0, ends, 0);
    sem_post(&started);
    pthread_join(threads[0], 0);
    return 0;
}
