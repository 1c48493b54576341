/* pthread_once runs its function once, and whoever comes later waits for it. Who does not know it raises a false
 * alarm.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int *place;
int target;

static void set_up(void)
{
    place = &target;
}

static void *user(void *unused)
{
    pthread_once(&once, set_up);
    int *mine = place;
    assert(mine == &target);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
