/* Message passing whose reader chooses by a branch where to read. A branch holds back writes, not reads: the second read
 * may be done before it is known where it goes. With SUM the address is computed from what was read.
 * @expect sc: SAFE
 * @expect power-frame: UNSAFE
 * @expect ppc: UNSAFE
 * @expect -DSUM power-frame: SAFE; ppc: SAFE
 */
#include <assert.h>
#include <pthread.h>

int flag, data[2] = { 1, 0 };

static void *writer(void *unused)
{
    data[1] = 1;
    __sync_synchronize();
    flag = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen = flag;
#ifdef SUM
    int *where = data + seen;
#else
    int *where = data;
    if (seen == 1)
        where = data + 1;
#endif
    assert(*where == 1);
    return 0;
}
