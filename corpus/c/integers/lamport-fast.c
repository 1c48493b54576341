/* Lamport's fast mutual exclusion: two writes and two reads when nobody else wants in.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: UNSAFE
 * @options --engine predicate
 */
#include <fencepost.h>
#include <pthread.h>

#ifdef FENCE
#define FENCED __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCED ((void)0)
#endif

int wants[2];
int x, y;

static void process(int i)
{
    while (1) {
    again:
        wants[i] = 1;
        x = i + 1;
        FENCED;
        if (y != 0) {
            wants[i] = 0;
            while (y != 0)
                ;
            goto again;
        }
        y = i + 1;
        FENCED;
        if (x != i + 1) {
            wants[i] = 0;
            while (wants[1 - i])
                ;
            if (y != i + 1) {
                while (y != 0)
                    ;
                goto again;
            }
        }
        FP_CRITICAL_BEGIN();
        FP_CRITICAL_END();
        y = 0;
        wants[i] = 0;
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
