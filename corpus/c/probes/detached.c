/* A detached thread may still run when main ends; who wants its result must wait for a flag.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DNO_JOIN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t done;
int result;

static void *work(void *unused)
{
    pthread_detach(pthread_self());
    result = 42;
    sem_post(&done);
    pthread_exit(NULL);
}

int main(void)
{
    pthread_t a;
    sem_init(&done, 0, 0);
    pthread_create(&a, NULL, work, NULL);
#ifndef NO_JOIN
    sem_wait(&done);
#endif
    assert(result == 42);
    return 0;
}
