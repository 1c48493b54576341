/* A ticket lock, as in Linux. Tickets grow without bound. Taking one is a locked instruction: no fence is needed.
 * @expect sc: SAFE (no overflow)
 * @expect tso: SAFE (no overflow)
 * @expect pso: SAFE (no overflow)
 * @options --engine predicate
 */
#include <fencepost.h>
#include <pthread.h>

int next, serving;

static void process(int i)
{
    while (1) {
        int own = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST);
        while (serving != own)
            ;
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        serving = own + 1;
    }
}

static void *first(void *arg)
{
    process(0);
    return arg;
}

static void *second(void *arg)
{
    process(1);
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&other, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
