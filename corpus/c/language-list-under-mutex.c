/* Two threads put nodes at the front of a linked list under a mutex; main adds up all values.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *list;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *put(void *arg)
{
    struct node *node = malloc(sizeof *node);
    node->value = (int)(long)arg;
    pthread_mutex_lock(&mutex);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, put, (void *)1L);
    pthread_create(&b, NULL, put, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int sum = 0;
    for (struct node *node = list; node; node = node->next)
        sum += node->value;
    assert(sum == 3);
    return 0;
}
