/* A wait whose condition counts how often it is asked. That is a loop, not one wait for the value that ends it.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect -DREADS sc: SAFE; tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <fencepost.h>

int ready, asked;

static int closed(void)
{
#ifndef READS
    asked++;
#endif
    return ready == 0;
}

static void *opener(void *unused)
{
    ready = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, opener, NULL);
    await_while(closed());
    assert(asked <= 1 && ready == 1);
    return 0;
}
