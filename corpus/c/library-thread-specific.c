/* Thread-specific data: one key, a value of its own for each thread.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int values[2];

static int mine(void)
{
    int *value = pthread_getspecific(key);
    return *value;
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    values[me] = me + 1;
    pthread_setspecific(key, &values[me]);
    assert(mine() == me + 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_key_create(&key, NULL);
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
