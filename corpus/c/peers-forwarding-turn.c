/* Two threads write one variable and read it back, then each reads the other's flag. One of them reads its own
 * write before it is out, the other overwrites it: only store forwarding explains it.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int turn, flag;
int r0, r1;

static void *left(void *unused)
{
    turn = 1;
    r0 = turn;
    r1 = flag;
    return NULL;
}

static void *right(void *unused)
{
    flag = 1;
    turn = 2;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r0 == 1 && r1 == 0 && turn == 1));
    return 0;
}
