/* When a thread ends, by returning or by pthread_exit, the destructor of each key is called with the thread's value, which is null by
 * then. It is not called without a value, nor when main returns.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; ppc: SAFE
 * @expect -DEMPTY sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DDELETED sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DFREED sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DALLOCATED sc: SAFE; tso: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key, other;
int value, calls;
int *published;

static void end(void *given)
{
    assert(given == &value);
    assert(pthread_getspecific(key) == NULL);
    calls++;
}

static void *returns(void *arg)
{
#ifndef EMPTY
    pthread_setspecific(key, &value);
#endif
    return &value;
}

static void inner(void) { pthread_exit(&value); }

static void *exits(void *arg)
{
    pthread_setspecific(key, &value);
    inner();
    return NULL;
}

static void *allocates(void *arg)
{
    int *block = malloc(sizeof *block);
    *block = 1;
    pthread_setspecific(other, block);
    published = block;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_key_create(&key, end);
#if defined(FREED) || defined(ALLOCATED)
    pthread_key_create(&other, free);
    pthread_create(&thread, NULL, allocates, NULL);
    pthread_join(thread, NULL);
#ifdef FREED
    assert(*published == 1);
#endif
    return 0;
#endif
    pthread_create(&thread, NULL, returns, NULL);
#ifdef DELETED
    pthread_key_delete(key);
#endif
    pthread_join(thread, &result);
    assert(result == &value);
    assert(calls == 1);
    pthread_create(&thread, NULL, exits, NULL);
    pthread_join(thread, &result);
    assert(result == &value);
    assert(calls == 2);
    pthread_setspecific(key, &calls);
    return 0;
}
