/* The instructions xchg and lock cmpxchg written as assembly are atomic, and full fences.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DPLAIN sc: SAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y, r0, r1, lock, entered;

static inline int xchg(int *p, int v)
{
#ifdef PLAIN
    *p = v;
    return 0;
#else
    __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
#endif
}

static inline int cmpxchg(int *p, int old, int new)
{
    int seen;
    __asm__ __volatile__("lock; cmpxchgl %2, %1" : "=a"(seen), "+m"(*p) : "r"(new), "0"(old) : "memory");
    return seen;
}

static void *left(void *unused)
{
    xchg(&x, 1);
    r0 = y;
    if (cmpxchg(&lock, 0, 1) == 0)
        entered++;
    return NULL;
}

static void *right(void *unused)
{
    xchg(&y, 1);
    r1 = x;
    if (cmpxchg(&lock, 0, 2) == 0)
        entered++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 || r1);
    assert(entered == 1 && lock != 0);
    return 0;
}
