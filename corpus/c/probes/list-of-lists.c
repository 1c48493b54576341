/* Pointers to pointers: a node is taken out of a list on the heap by the address of the pointer to it, under a
 * mutex.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node *head;

static void push(int value)
{
    struct node *n = malloc(sizeof(struct node));
    *n = (struct node){ .next = head, .value = value };
    head = n;
}

static void *take(void *arg)
{
    int value = (int)(long)arg;
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    for (struct node **link = &head; *link; link = &(*link)->next) {
        if ((*link)->value == value) {
            *link = (*link)->next;
            break;
        }
    }
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    push(3);
    push(2);
    push(1);
    pthread_create(&a, NULL, take, (void *)1L);
    pthread_create(&b, NULL, take, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(head && head->value == 3 && !head->next);
    return 0;
}
