/* A stack without a lock: whoever wants to pop claims the stack, looks whether the other one does, and gives up if so.
 * With store buffers both can claim it and see nothing of the other's claim, and pop the same node.
 * @expect sc: SAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *top;
int claims[2];
struct node *popped[2];

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = top;
    top = node;
}

static struct node *pop(int me)
{
    struct node *first = NULL;
    claims[me] = 1;
    if (!claims[1 - me]) {
        first = top;
        if (first)
            top = first->next;
    }
    claims[me] = 0;
    return first;
}

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int k = 0; k < 2 && !popped[me]; k++)
        popped[me] = pop(me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    push(1);
    push(2);
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!popped[0] || popped[0] != popped[1]);
    return 0;
}
