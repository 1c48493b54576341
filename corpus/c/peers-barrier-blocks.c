/* A barrier blocks: what each thread wrote before it, the other sees behind it. Who lets it do nothing raises a
 * false alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int parts[2];
int sums[2];

static void *worker(void *arg)
{
    long me = (long)arg;
    parts[me] = (int)me + 1;
    pthread_barrier_wait(&barrier);
    sums[me] = parts[0] + parts[1];
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sums[0] == 3 && sums[1] == 3);
    return 0;
}
