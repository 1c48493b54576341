/* Message passing between two threads, while eight others hand values round in a ring and see old ones. What goes wrong has
 * nothing to do with them: the execution that is shown has two threads besides main.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int data, ready;
int ring[8], seen[8];

void *bystander(void *arg)
{
    long me = (long)arg;
    ring[me] = 1;
    seen[me] = ring[(me + 1) % 8];
    return NULL;
}

void *writer(void *arg)
{
    (void)arg;
    data = 1;
    ready = 1;
    return NULL;
}

void *reader(void *arg)
{
    (void)arg;
    if (ready)
        assert(data == 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[8], one, other;
    for (long i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, bystander, (void *)i);
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&other, NULL, reader, NULL);
    return 0;
}
