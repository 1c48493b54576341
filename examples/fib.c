/* Two threads add to each other's numbers; how large can they get? No more than Fibonacci's sequence in any model,
 * since each sum depends on what was read; and that much in all of them, after the right switches between the
 * threads.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNSAFE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

int i = 1, j = 1;

/* What the two reach by taking turns: 3, 8, 21, 55... */
static int largest(void)
{
    int first = 1, second = 1;
    for (int k = 0; k < N; k++) {
        first = first + second;
        second = second + first;
    }
    return second;
}

static void *left(void *unused)
{
    for (int k = 0; k < N; k++)
        i = i + j;
    return NULL;
}

static void *right(void *unused)
{
    for (int k = 0; k < N; k++)
        j = j + i;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef UNSAFE
    assert(i < largest() && j < largest());
#else
    assert(i <= largest() && j <= largest());
#endif
    return 0;
}
