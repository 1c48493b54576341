/* A thread starts a thread and waits for it. All that the inner one did is seen by whoever joins the outer one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int inner_done, outer_done;

static void *inner(void *unused)
{
    inner_done = outer_done + 1;
    return NULL;
}

static void *outer(void *unused)
{
    pthread_t thread;
    outer_done = 1;
    pthread_create(&thread, NULL, inner, NULL);
    pthread_join(thread, NULL);
    assert(inner_done == 2);
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, outer, NULL);
    pthread_join(a, NULL);
    assert(inner_done == 2 && outer_done == 1);
    return 0;
}
