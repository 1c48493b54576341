/* A readers-writer lock: the reader sees both changes or none. If the writer takes it for reading only, that
 * fails.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DWRONG_SIDE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int left, right;

static void *writer(void *unused)
{
#ifdef WRONG_SIDE
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    left = 1;
    right = 1;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int a = left;
    int b = right;
    pthread_rwlock_unlock(&lock);
    assert(a == b);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
