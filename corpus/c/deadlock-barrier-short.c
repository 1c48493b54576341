/* A barrier for three, and only two come: both wait for ever. How many had come before is read once; only the round is
 * read again and again.
 * @options --property deadlock
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DENOUGH sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <pthread.h>

#ifdef ENOUGH
#define NEEDED 2
#else
#define NEEDED 3
#endif

pthread_barrier_t barrier;

static void *worker(void *unused)
{
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, NEEDED);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
