/* pthread_once runs its function once, and nobody goes on before it is done; a key has a value of its own for each
 * thread.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
int made, values[2] = { 1, 2 };

static void make(void)
{
    pthread_key_create(&key, NULL);
    made++;
}

static void *use(void *arg)
{
    pthread_once(&once, make);
    assert(made == 1);
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, arg);
    int *mine = pthread_getspecific(key);
    assert(mine == arg);
    *mine += 10;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, &values[0]);
    pthread_create(&b, NULL, use, &values[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(values[0] == 11 && values[1] == 12);
    return 0;
}
