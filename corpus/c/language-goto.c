/* Retry and clean-up by goto: a transfer that takes two locks by trying and gives back what it has when it fails.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int left = 5, right = 5;

static int transfer(int amount, pthread_mutex_t *one, pthread_mutex_t *other)
{
    int result = -1;
    if (pthread_mutex_trylock(one))
        goto out;
    if (pthread_mutex_trylock(other))
        goto unlock_one;
    left -= amount;
    right += amount;
    result = 0;
    pthread_mutex_unlock(other);
unlock_one:
    pthread_mutex_unlock(one);
out:
    return result;
}

static void *there(void *unused)
{
    transfer(2, &first, &second);
    return NULL;
}

static void *back(void *unused)
{
    transfer(-3, &second, &first);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, there, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(left + right == 10);
    return 0;
}
