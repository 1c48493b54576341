/* What threads return and give to pthread_exit, also from inside a function, arrives at join; a thread may join
 * another's child.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void leave(int n)
{
    if (n > 1)
        pthread_exit((void *)(intptr_t)(n * 10));
}

static void *work(void *arg)
{
    int n = (int)(intptr_t)arg;
    leave(n);
    int *result = malloc(sizeof *result);
    *result = n + 100;
    return result;
}

static void *parent(void *unused)
{
    pthread_t *child = malloc(sizeof *child);
    pthread_create(child, NULL, work, (void *)(intptr_t)3);
    return child;
}

int main(void)
{
    pthread_t a, b, c;
    void *result;
    pthread_create(&a, NULL, work, (void *)(intptr_t)1);
    pthread_create(&b, NULL, work, (void *)(intptr_t)2);
    pthread_create(&c, NULL, parent, NULL);
    assert(pthread_join(a, &result) == 0);
    assert(*(int *)result == 101);
    pthread_join(b, &result);
    assert((intptr_t)result == 20);
    pthread_join(c, &result);
    pthread_t child = *(pthread_t *)result;
    pthread_join(child, &result);
    assert((intptr_t)result == 30);
    return 0;
}
