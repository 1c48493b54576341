/* Links of new nodes are written again by each attempt to push, and nobody can see them before one succeeds: no attempt needs to be
 * repeated to know that. On alpha the link of a node can be read before the node's own writes are there: it is no address then.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; } *top;
void *push(void *unused)
{
    for (int i = 0; i < 3; i++) {
        struct node *new = malloc(sizeof *new), *old;
        new->value = i + 1;
        do {
            old = top;
            new->next = old;
        } while (!__sync_bool_compare_and_swap(&top, old, new));
    }
    return 0;
}
void *pop(void *unused)
{
    for (int i = 0; i < 3; i++) {
        struct node *old = top;
        if (old && __sync_bool_compare_and_swap(&top, old, old->next)) assert(old->value > 0);
    }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
