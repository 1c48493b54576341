/* Numbers and pointers on their way through void pointers and back: arguments, results, a table of untyped
 * pointers.
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

int number = 5;
void *table[2];

static void *worker(void *arg)
{
    intptr_t code = (intptr_t)arg;
    table[0] = &number;
    table[1] = (void *)(code * 2);
    return (void *)(code + 1);
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, worker, (void *)(intptr_t)20);
    pthread_join(thread, &result);
    assert((intptr_t)result == 21);
    assert(*(int *)table[0] == 5);
    assert((intptr_t)table[1] == 40);
    return 0;
}
