/* A writer excludes readers and other writers. Who does not know readers-writer locks raises a false alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int number;

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    number++;
    number++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    assert(number % 2 == 0);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_create(&c, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    assert(number == 4);
    return 0;
}
