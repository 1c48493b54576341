/* Each thread knows its own handle, and the handles of different threads differ.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_t handles[2];

static void *worker(void *arg)
{
    handles[(long)arg] = pthread_self();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(pthread_equal(handles[0], a) && pthread_equal(handles[1], b));
    assert(!pthread_equal(a, b) && !pthread_equal(a, pthread_self()));
    return 0;
}
