/* Which of two variables comes first, nobody knows.
 * @expect sc: UNKNOWN (line 24: the number of an address is computed with, or compared, and nobody knows which number it is)
 * @expect tso: UNKNOWN (line 24: the number of an address is computed with, or compared, and nobody knows which number it is)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int x, y;
_Atomic(int *) published;

static void *one(void *unused)
{
    atomic_store(&published, &y);
    return NULL;
}

static void *two(void *unused)
{
    int *seen = atomic_load(&published);
    if (seen)
        assert(seen > &x);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
