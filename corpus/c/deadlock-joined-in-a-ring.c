/* Two threads that join each other wait for ever; so do three in a ring.
 * @options --property deadlock
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; ppc: UNSAFE
 * @expect -DCOUNT=3 sc: UNSAFE; ppc: UNSAFE
 * @expect -DSTRAIGHT sc: SAFE; tso: SAFE; aarch64: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <semaphore.h>

#ifndef COUNT
#define COUNT 2
#endif

pthread_t threads[COUNT];
sem_t known;

static void *joins(void *arg)
{
    long i = (long)arg;
    sem_wait(&known);
#ifdef STRAIGHT
    if (i + 1 == COUNT)
        return 0;
#endif
    pthread_join(threads[(i + 1) % COUNT], 0);
    return 0;
}

int main(void)
{
    sem_init(&known, 0, 0);
    for (long i = 0; i < COUNT; i++)
        pthread_create(&threads[i], 0, joins, (void *)i);
    for (int i = 0; i < COUNT; i++)
        sem_post(&known);
    return 0;
}
