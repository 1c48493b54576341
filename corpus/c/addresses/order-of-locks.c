/* Two locks taken in the order of their addresses: the order is not known, so nothing is proved from one.
 * @expect sc: UNKNOWN (line 21: the number of an address is computed with, or compared, and nobody knows which number it is)
 * @expect tso: UNKNOWN (line 21: the number of an address is computed with, or compared, and nobody knows which number it is)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct account { int lock, money; } x, y;
atomic_int turn;

static struct account *lower(struct account *one, struct account *other)
{
    return one < other ? one : other;
}

static void *one(void *unused)
{
    if (lower(&x, &y) == &x)
        atomic_store(&turn, 1);
    return NULL;
}

static void *two(void *unused)
{
    assert(atomic_load(&turn) != 2);
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
