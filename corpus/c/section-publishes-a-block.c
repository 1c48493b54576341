/* A block from the heap is published in one atomic section and read in another one.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

int *published;

static void *publish(void *unused)
{
    int *block = malloc(sizeof *block);
    *block = 1;
    __VERIFIER_atomic_begin();
    published = block;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    __VERIFIER_atomic_begin();
    int *seen = published, value = 0;
    if (seen)
        value = *seen;
    __VERIFIER_atomic_end();
    assert(value != 1);
    return 0;
}
