/* A sorted list with a mutex in each node; a thread holds two neighbouring mutexes when it inserts. Both
 * insertions are there at the end.
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
    pthread_mutex_t mutex;
    int key;
    struct node *next;
};

struct node first;

static void insert(int key)
{
    struct node *before = &first;
    pthread_mutex_lock(&before->mutex);
    struct node *after = before->next;
    while (after && after->key < key) {
        pthread_mutex_lock(&after->mutex);
        pthread_mutex_unlock(&before->mutex);
        before = after;
        after = after->next;
    }
    struct node *node = calloc(1, sizeof *node);
    pthread_mutex_init(&node->mutex, NULL);
    node->key = key;
    node->next = after;
    before->next = node;
    pthread_mutex_unlock(&before->mutex);
}

static void *one(void *unused)
{
    insert(1);
    return NULL;
}

static void *two(void *unused)
{
    insert(2);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&first.mutex, NULL);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    struct node *node = first.next;
    assert(node && node->key == 1);
    node = node->next;
    assert(node && node->key == 2 && !node->next);
    return 0;
}
