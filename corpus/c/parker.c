/* The token of a parked thread, as in a known bug of a Java runtime: park takes the token by a plain write and
 * then looks at the condition again. Where the write waits, the next unpark finds the old token, sends no signal,
 * and is lost.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int token = 1;
int condition;
int asleep, signalled;

/* The thread would sleep where `asleep` is set: the token is not there, and the mutex is held. */
static void park(void)
{
    if (token > 0) {
        token = 0;
        fence();
        return;
    }
    pthread_mutex_lock(&mutex);
    if (token > 0)
        token = 0;
    else
        asleep = 1;
    pthread_mutex_unlock(&mutex);
}

static void unpark(void)
{
    pthread_mutex_lock(&mutex);
    int before = token;
    token = 1;
    pthread_mutex_unlock(&mutex);
    if (before < 1)
        signalled = 1;
}

static void *waiter(void *unused)
{
    if (!condition)
        park();
    if (!condition)
        park();
    return NULL;
}

static void *waker(void *unused)
{
    condition = 1;
    unpark();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!asleep || signalled);
    return 0;
}
