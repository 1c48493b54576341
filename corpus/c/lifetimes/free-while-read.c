/* A reader looks into a node while its owner takes the node away and frees it: the reader has the pointer, the owner frees, the reader
 * goes on. With -DFIXED the owner waits until the reader has said that it is done.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; ppc: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
};

static struct node *_Atomic head;
static atomic_int done;

static void *reader(void *unused)
{
    (void)unused;
    struct node *node = atomic_load(&head);
    if (node != NULL)
        (void)node->value;
    atomic_store(&done, 1);
    return NULL;
}

static void *owner(void *unused)
{
    (void)unused;
    struct node *node = atomic_exchange(&head, NULL);
#ifdef FIXED
    while (atomic_load(&done) == 0)
        ;
#endif
    free(node);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    atomic_store(&head, node);
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, owner, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
