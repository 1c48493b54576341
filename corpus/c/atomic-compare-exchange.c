/* Two threads compare and exchange: one succeeds, the other learns the value that was there.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int owner;
int won[2], seen[2];

static void *claim(void *arg)
{
    int me = (int)(long)arg;
    int expected = 0;
    won[me] = atomic_compare_exchange_strong(&owner, &expected, me + 1);
    seen[me] = expected;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, claim, (void *)0L);
    pthread_create(&b, NULL, claim, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(won[0] + won[1] == 1);
    assert(won[0] ? seen[1] == 1 : seen[0] == 2);
    return 0;
}
