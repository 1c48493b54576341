/* Two readers may hold a readers-writer lock at once: each can find the other inside.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int inside[2];

static void *reader(void *arg)
{
    int me = (int)(long)arg;
    pthread_rwlock_rdlock(&lock);
    inside[me] = 1;
    assert(!inside[1 - me]);
    inside[me] = 0;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, (void *)0L);
    pthread_create(&b, NULL, reader, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
