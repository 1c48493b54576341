/* Memory from malloc holds anything until it is written. Publishing a node before its content is set shows it.
 * @expect sc: SAFE
 * @expect tso: SAFE
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
};

struct node *shared;

static void *writer(void *unused)
{
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    shared = node;
    return NULL;
}

static void *reader(void *unused)
{
    struct node *seen = shared;
    if (seen)
        assert(seen->value == 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
