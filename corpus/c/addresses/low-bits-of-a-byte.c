/* A single byte has no alignment: its address may be odd.
 * @expect sc: UNKNOWN (line 23: a part of an address is used as a number, and nobody knows which number)
 * @expect tso: UNKNOWN (line 23: a part of an address is used as a number, and nobody knows which number)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

char a, b;
_Atomic(char *) where;

static void *one(void *unused)
{
    atomic_store(&where, &b);
    return NULL;
}

static void *two(void *unused)
{
    char *seen = atomic_load(&where);
    assert(((uintptr_t)seen & 1) == 0);
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
