/* A pointer whose lowest bit says that the node is taken: in a uintptr_t that threads exchange. Whoever sets the bit
 * owns the node. With -DBUG the bit is set by a load and a store.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect x86tso: SAFE
 * @expect aarch64: SAFE
 * @expect -DBUG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; x86tso: UNSAFE; aarch64: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    int owners;
    int value;
};

uintptr_t head;

static void *take(void *arg)
{
#ifdef BUG
    uintptr_t old = __atomic_load_n(&head, __ATOMIC_ACQUIRE);
    __atomic_store_n(&head, old | 1, __ATOMIC_RELEASE);
#else
    uintptr_t old = __atomic_fetch_or(&head, 1, __ATOMIC_ACQ_REL);
#endif
    struct node *node = (struct node *)(old & ~(uintptr_t)1);
    if (!(old & 1)) {
        node->owners++;
        assert(node->owners == 1);
        assert(node->value == 7);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    struct node *node = malloc(sizeof *node);
    node->owners = 0;
    node->value = 7;
    head = (uintptr_t)node;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(head == ((uintptr_t)node | 1));
    return 0;
}
