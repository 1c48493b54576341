/* A message that is announced by a flag that is not atomic: a data race, and the reader may miss the data.
 * @expect rc11: UNSAFE
 * @expect -DREPAIRED rc11: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int data, ready;

static void *writer(void *unused)
{
    data = 42;
#ifdef REPAIRED
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#else
    ready = 1;
#endif
    return NULL;
}

static void *reader(void *unused)
{
#ifdef REPAIRED
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
#else
    if (ready)
#endif
        assert(data == 42);
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
