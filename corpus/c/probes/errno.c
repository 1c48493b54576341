/* errno is a variable of each thread.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *other(void *unused)
{
    errno = EINVAL;
    return NULL;
}

int main(void)
{
    pthread_t a;
    errno = 0;
    pthread_create(&a, NULL, other, NULL);
    pthread_join(a, NULL);
    assert(errno == 0);
    return 0;
}
