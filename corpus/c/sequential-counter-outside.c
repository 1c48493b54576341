/* A loop whose only counter is a variable outside functions, before any thread is started: its locals are the same each time round, and
 * it ends all the same.
 * @expect sc: UNSAFE
 * @expect -DRIGHT sc: SAFE
 * @expect -DTHREAD sc: UNSAFE; tso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

static int count;
int x;

static void *set(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    for (count = 0; count < 300; count++)
        ;
#ifdef THREAD
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    assert(x == 0);
#elif defined RIGHT
    assert(count == 300);
#else
    assert(count == 299);
#endif
    return 0;
}
