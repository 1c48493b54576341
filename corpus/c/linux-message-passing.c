/* A message with the kernel's operations: the writer has a fence, the reader none. With both fences nothing goes wrong.
 * @expect lkmm: UNSAFE
 * @expect -DBOTH lkmm: SAFE
 * @expect -DPLAIN lkmm: UNSAFE
 * @expect -DEXCHANGE lkmm: UNSAFE
 * @expect -DEXCHANGE -DBOTH lkmm: SAFE
 */
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

int data, ready;

static void *writer(void *unused)
{
#ifdef PLAIN
    data = 1;
#else
    WRITE_ONCE(data, 1);
#endif
    smp_wmb();
#ifdef EXCHANGE
    xchg_relaxed(&ready, 1);
#else
    WRITE_ONCE(ready, 1);
#endif
    return NULL;
}

static void *reader(void *unused)
{
    if (READ_ONCE(ready)) {
#ifdef BOTH
        smp_rmb();
#endif
        assert(READ_ONCE(data) == 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
