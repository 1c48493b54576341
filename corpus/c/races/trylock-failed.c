/* A thread that finds a mutex taken knows that another one has come to it, but a trylock that fails orders nothing: what that one wrote before
 * need not have come before. With -DFIXED both take the mutex.
 * @expect rc11: UNSAFE; sc: SAFE
 * @expect -DFIXED rc11: SAFE; sc: SAFE
 * @expect -DTAKEN rc11: SAFE; sc: SAFE
 * @options --property race
 */
#include <pthread.h>
#include <stddef.h>

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
#if defined(FIXED) || defined(TAKEN)
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
#else
    data = 1;
    pthread_mutex_lock(&lock);
#endif
    return unused;
}

static void *reader(void *unused)
{
#if defined(FIXED)
    pthread_mutex_lock(&lock);
    int seen = data;
    pthread_mutex_unlock(&lock);
#elif defined(TAKEN)
    int seen = 0;
    if (pthread_mutex_trylock(&lock) == 0) {
        seen = data;
        pthread_mutex_unlock(&lock);
    }
#else
    int seen = 0;
    if (pthread_mutex_trylock(&lock) != 0)
        seen = data;
#endif
    return seen ? unused : NULL;
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
