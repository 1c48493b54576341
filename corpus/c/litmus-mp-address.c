/* Message passing of a pointer: full fence in the writer, address dependency in the reader. Alpha alone does not
 * keep the dependent read in order.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int data;
int *box;

static void *writer(void *unused)
{
    data = 1;
    __sync_synchronize();
    box = &data;
    return NULL;
}

static void *reader(void *unused)
{
    int *seen = box;
    if (seen)
        assert(*seen == 1);
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
