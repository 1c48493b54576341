/* The lowest bit of an aligned pointer marks it, as in Harris's list; set, tested and cleared again.
 * @expect sc: SAFE
 * @expect tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node { struct node *next; int value; } node = { 0, 7 };
_Atomic uintptr_t link_;

static void *one(void *unused)
{
    atomic_store(&link_, (uintptr_t)&node);
    atomic_fetch_or(&link_, 1);
    return NULL;
}

static void *two(void *unused)
{
    uintptr_t seen = atomic_load(&link_);
    if (seen & 1) {
        struct node *back = (struct node *)(seen & ~(uintptr_t)1);
        assert(back == &node && back->value == 7);
    }
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
