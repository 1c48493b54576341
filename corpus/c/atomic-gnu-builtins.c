/* GCC's __atomic builtins with the orders of C11 on plain variables: message passing.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: UNSAFE
 * @expect -DSEQ_CST sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef SEQ_CST
#define RELEASE __ATOMIC_SEQ_CST
#define ACQUIRE __ATOMIC_SEQ_CST
#else
#define RELEASE __ATOMIC_RELEASE
#define ACQUIRE __ATOMIC_ACQUIRE
#endif

int data, ready;

static void *writer(void *unused)
{
    data = 1;
    __atomic_store_n(&ready, 1, RELEASE);
    return NULL;
}

static void *reader(void *unused)
{
    if (__atomic_load_n(&ready, ACQUIRE))
        assert(data == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
