/* Message passing with the barriers for stores and for loads of Arm, or with -DRISCV those of RISC-V, as inline assembly. Fences that
 * order one kind of pair each are understood on every machine; without one of the two the message can be missed.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect aarch64: SAFE
 * @expect riscv: SAFE
 * @expect ppc: SAFE
 * @expect -DRISCV sc: SAFE; tso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE
 * @expect -DNO_STORE_BARRIER sc: SAFE; tso: SAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 * @expect -DNO_LOAD_BARRIER sc: SAFE; tso: SAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef RISCV
#define STORE_BARRIER "fence w,w"
#define LOAD_BARRIER "fence r,r"
#else
#define STORE_BARRIER "dmb ishst"
#define LOAD_BARRIER "dmb ishld"
#endif

int data, ready;

static void *writer(void *unused)
{
    data = 1;
#ifndef NO_STORE_BARRIER
    __asm__ __volatile__(STORE_BARRIER ::: "memory");
#endif
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    if (ready) {
#ifndef NO_LOAD_BARRIER
        __asm__ __volatile__(LOAD_BARRIER ::: "memory");
#endif
        assert(data == 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
