/* A thread waits with a condition variable for what nobody makes true, while another one uses the same mutex. What it waits for is a constant,
 * so nothing but the waits themselves ends the loop.
 * @options --property deadlock
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; ppc: UNSAFE
 * @expect -DMADE sc: UNSAFE; ppc: UNSAFE
 */
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

static void *other(void *arg)
{
    pthread_mutex_lock(&m);
#ifdef MADE
    ready = 1; /* But nobody says so. */
#endif
    pthread_mutex_unlock(&m);
    return arg;
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    while (ready == 0)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, other, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
