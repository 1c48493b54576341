/* Locked arithmetic written as assembly: no update is lost, and a locked addition of zero is a full fence.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNLOCKED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int counter, x, y, r[2];

static int fetch_add(int *p, int n)
{
    asm volatile("lock; xaddl %0, %1" : "=r"(n), "+m"(*p) : "0"(n) : "memory", "cc");
    return n;
}

static void count(void)
{
#ifdef UNLOCKED
    counter++;
#else
    __asm__ __volatile__("lock; incl %0" : "+m"(counter) : : "memory");
#endif
    __asm__ __volatile__("lock; addl $2,%[mem]" : [mem] "+m"(counter) : : "memory");
    assert(fetch_add(&counter, 3) >= 3);
}

static void *left(void *unused)
{
    int dummy = 0;
    count();
    x = 1;
    __asm__ __volatile__("lock; addl $0,%0" : "+m"(dummy) : : "memory");
    r[0] = y;
    return NULL;
}

static void *right(void *unused)
{
    count();
    y = 1;
    __asm__ __volatile__("lock; addl %1,%0" : "+m"(x) : "ir"(0) : "memory");
    r[1] = x;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 12);
    assert(r[0] || r[1]);
    return 0;
}
