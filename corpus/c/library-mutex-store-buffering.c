/* Store buffering with a critical section of another matter between write and read. Lock and unlock are full
 * fences, even of a mutex that nobody else uses; not so on Power, where they acquire and release.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect ppc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutexes[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
int x, y;
int r0, r1;

static void *left(void *unused)
{
    x = 1;
    pthread_mutex_lock(&mutexes[0]);
    pthread_mutex_unlock(&mutexes[0]);
    r0 = y;
    return NULL;
}

static void *right(void *unused)
{
    y = 1;
    pthread_mutex_lock(&mutexes[1]);
    pthread_mutex_unlock(&mutexes[1]);
    r1 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
