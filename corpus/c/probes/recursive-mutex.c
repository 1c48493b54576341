/* A recursive mutex is free again only after as many unlocks. A normal one locked twice by its holder holds
 * everybody: nothing after it happens.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DNORMAL sc: SAFE; tso: SAFE
 * @expect -DRELEASE_EARLY sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
int x, y;

static void inner(void)
{
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
}

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    inner();
#ifdef RELEASE_EARLY
    pthread_mutex_unlock(&lock);
#endif
    y++;
#ifndef RELEASE_EARLY
    pthread_mutex_unlock(&lock);
#endif
#ifdef NORMAL
    assert(0);
#endif
    return NULL;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(x == y);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef NORMAL
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
#else
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
