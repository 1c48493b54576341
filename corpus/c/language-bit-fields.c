/* Two bit-fields of one structure, written under one mutex: neither disturbs the other.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

struct flags {
    unsigned ready : 1;
    unsigned kind : 3;
};

struct flags flags;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
    pthread_mutex_lock(&mutex);
    flags.ready = 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&mutex);
    flags.kind = 5;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(flags.ready == 1 && flags.kind == 5);
    return 0;
}
