/* A thread walks over a list without a lock while another one removes and frees the second node. With -DFIXED both take the lock.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE
 */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *walk(void *unused)
{
    (void)unused;
    int sum = 0;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    for (struct node *node = head; node != NULL; node = node->next)
        sum += node->value;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *cut(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    struct node *second = head->next;
    head->next = NULL;
    pthread_mutex_unlock(&lock);
    free(second);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b;
    a->value = 1;
    b->next = NULL;
    b->value = 2;
    head = a;
    pthread_create(&first, NULL, walk, NULL);
    pthread_create(&second, NULL, cut, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
