/* A hash of an address, used only as an index into a table: two objects may or may not collide.
 * @expect sc: UNKNOWN (line 21: a part of an address is used as a number, and nobody knows which number)
 * @expect tso: UNKNOWN (line 21: a part of an address is used as a number, and nobody knows which number)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node { long key; } first, second;
atomic_int table[16];

static unsigned slot(struct node *node)
{
    return ((uintptr_t)node >> 4) % 16;
}

static void *one(void *unused)
{
    atomic_fetch_add(&table[slot(&first)], 1);
    return NULL;
}

static void *two(void *unused)
{
    assert(atomic_fetch_add(&table[slot(&second)], 1) == 0);
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
