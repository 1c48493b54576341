/* Waiting for a condition gives the mutex back: another thread changes what the mutex protects meanwhile. Who does
 * not release it there misses that.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int value;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    int before = value;
    pthread_cond_wait(&changed, &mutex);
    assert(value == before);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *changer(void *unused)
{
    pthread_mutex_lock(&mutex);
    value++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, changer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
