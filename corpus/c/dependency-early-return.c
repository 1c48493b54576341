/* Load buffering through a function that is called between the load and the store. That it returns early on one path orders nothing
 * behind the call: no compiler promises it, and the same with `else` does not either. What the function returns does.
 * @expect aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE; tso: SAFE
 * @expect -DELSE aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE; tso: SAFE
 * @expect -DRESULT aarch64: SAFE; riscv: SAFE; ppc: SAFE; tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int x, y;
int r1, r2, g1, g2;

static int note(int r)
{
#ifdef ELSE
    if (r)
        g1 = 1;
    else
        g2 = 1;
    return 1;
#else
    if (r) {
        g1 = 1;
        return 1;
    }
    g2 = 1;
#ifdef RESULT
    return 2;
#else
    return 1;
#endif
#endif
}

static void *left(void *unused)
{
    int r = atomic_load_explicit(&x, memory_order_relaxed);
    int n = note(r);
    atomic_store_explicit(&y, n, memory_order_relaxed);
    r1 = r;
    return NULL;
}

static void *right(void *unused)
{
    int r = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, r, memory_order_relaxed);
    r2 = r;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r1 == 1 && r2 == 1));
    return 0;
}
