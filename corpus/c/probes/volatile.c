/* Volatile holds back the compiler, not the machine: store buffering through a volatile pointer to volatile.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define fence() __asm__ volatile("" ::: "memory")
#endif

volatile int x, y;
int r0, r1;

static void *left(void *arg)
{
    volatile int *volatile p = arg;
    *p = 1;
    fence();
    r0 = *(volatile int *)&y;
    return NULL;
}

static void *right(void *arg)
{
    *(volatile int *)arg = 1;
    fence();
    r1 = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, (void *)&x);
    pthread_create(&b, NULL, right, (void *)&y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 || r1);
    return 0;
}
