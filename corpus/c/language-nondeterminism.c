/* Any input within bounds: the sum of two parts never exceeds the bound, and reaches it.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DREACHED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int parts[2];

static void *choose(void *arg)
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= 0 && value <= 3);
    parts[(long)arg] = value;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, choose, (void *)0L);
    pthread_create(&b, NULL, choose, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef REACHED
    assert(parts[0] + parts[1] < 6);
#else
    assert(parts[0] + parts[1] <= 6);
#endif
    return 0;
}
