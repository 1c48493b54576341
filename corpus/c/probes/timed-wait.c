/* A timed wait may return without a signal, and for no reason before its time is over: the condition must be looked at again.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DPROMPT sc: UNSAFE; rmo: UNSAFE
 * @expect -DTRUST sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int message, seen;

static void *sender(void *unused)
{
    pthread_mutex_lock(&lock);
    message = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *receiver(void *unused)
{
    struct timespec until = { 0, 0 };
    pthread_mutex_lock(&lock);
    int late = 0;
    if (!message)
        late = pthread_cond_timedwait(&ready, &lock, &until);
    assert(late == 0 || late == ETIMEDOUT);
#ifdef TRUST
    assert(message);
#endif
#ifdef PROMPT
    assert(late || message);
#endif
    seen = message;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, receiver, NULL);
    pthread_create(&b, NULL, sender, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
