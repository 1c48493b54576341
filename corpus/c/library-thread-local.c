/* A thread-local variable: each thread has its own, which begins with the initial value. Without the word it is
 * shared.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DSHARED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef SHARED
#define PER_THREAD
#else
#define PER_THREAD _Thread_local
#endif

PER_THREAD int number = 10;

static void *worker(void *arg)
{
    int add = (int)(long)arg;
    number += add;
    assert(number == 10 + add);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifndef SHARED
    assert(number == 10);
#endif
    return 0;
}
