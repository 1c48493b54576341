/* Message passing twice through one flag, forth and back. Each hand-over needs writes in order on one side and
 * reads on the other.
 * @expect sc: SAFE
 * @expect tso: SAFE
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

int question, answer, turn;

static void *asker(void *unused)
{
    question = 3;
    fence();
    turn = 1;
    while (turn != 2)
        ;
    fence();
    assert(answer == 9);
    return NULL;
}

static void *answerer(void *unused)
{
    while (turn != 1)
        ;
    fence();
    answer = question * question;
    fence();
    turn = 2;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, asker, NULL);
    pthread_create(&b, NULL, answerer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
