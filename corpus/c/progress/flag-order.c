/* Two threads tell each other that they are there and wait for each other. With -DLOST the second one clears the flag of the first:
 * if it does so after the first one has set it, the second waits for ever.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 * @expect -DLOST sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @options --property progress
 */
#include <pthread.h>
#include <stddef.h>

static volatile int here, there;

static void *first(void *unused)
{
    (void)unused;
    here = 1;
    while (!there)
        ;
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
#ifdef LOST
    here = 0;
#endif
    there = 1;
    while (!here)
        ;
    return NULL;
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
