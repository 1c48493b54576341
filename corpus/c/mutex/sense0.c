/* A barrier with a sense that is reversed each round. The last process to arrive makes the counter ready for the next
 * round and lets the others go. PSO may let them go first: then one arrives for which the barrier does not wait, in
 * the second round. TSO keeps the two writes in order.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @options --engine coherence
 */
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>

#ifdef ROUNDS
#define LOOP for (int round = 0; round < ROUNDS; round++)
#else
#define LOOP while (1)
#endif

#define PROCESSES 2

int missing = PROCESSES;
int sense;

static void process(int own)
{
    LOOP {
        int left;
        own = 1 - own;
        left = __atomic_fetch_sub(&missing, 1, __ATOMIC_SEQ_CST);
        assert(left >= 1);
        if (left == 1) {
            missing = PROCESSES;
            sense = own;
        } else {
            while (sense != own)
                ;
        }
    }
}

static void *first(void *arg)
{
    process(0);
    return arg;
}

static void *second(void *arg)
{
    process(0);
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
