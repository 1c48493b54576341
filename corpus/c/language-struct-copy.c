/* Assigning a structure copies member by member: another thread may see half of it.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DLOCKED sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

struct pair {
    int left, right;
};

struct pair shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
    struct pair mine = { 1, 1 };
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    shared = mine;
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

static void *reader(void *unused)
{
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    struct pair copy = shared;
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    assert(copy.left == copy.right);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
