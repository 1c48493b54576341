/* Whoever does not get the lock at the first try goes without; to go on regardless loses an update.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DIGNORE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter, done;

static void *count(void *unused)
{
    int got = pthread_mutex_trylock(&lock);
    assert(got == 0 || got == EBUSY);
#ifndef IGNORE
    if (got != 0)
        return NULL;
#endif
    counter = counter + 1;
    __sync_fetch_and_add(&done, 1);
    if (got == 0)
        pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == done && done >= 1);
    return 0;
}
