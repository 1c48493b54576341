/* A thread that its attributes detach cannot be joined.
 * @expect sc: SAFE; tso: SAFE; ppc: SAFE
 * @expect -DDETACHED sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DTHROUGH_POINTER sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 * @expect -DBACK sc: SAFE; tso: SAFE; ppc: SAFE
 * @expect -DNOT_JOINED sc: SAFE; tso: SAFE; ppc: SAFE
 */
#include <pthread.h>
#include <stddef.h>

static void *run(void *arg) { return arg; }

static void start(pthread_t *thread, const pthread_attr_t *attributes)
{
    pthread_create(thread, attributes, run, NULL);
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
#if defined(DETACHED) || defined(THROUGH_POINTER) || defined(BACK) || defined(NOT_JOINED)
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#endif
#ifdef BACK
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
#endif
#ifdef THROUGH_POINTER
    start(&thread, NULL);
    pthread_join(thread, NULL);
    start(&thread, &attributes);
#else
    pthread_create(&thread, &attributes, run, NULL);
#endif
    pthread_attr_destroy(&attributes);
#ifndef NOT_JOINED
    pthread_join(thread, NULL);
#endif
    return 0;
}
