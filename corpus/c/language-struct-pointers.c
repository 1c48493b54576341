/* A structure with pointers to structures: one thread swaps two pointers under a mutex, the other follows them.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNLOCKED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

struct leaf {
    int value;
};

struct pair {
    struct leaf *left, *right;
    pthread_mutex_t mutex;
};

struct leaf one = { 1 }, two = { 2 };
struct pair pair = { &one, &two, PTHREAD_MUTEX_INITIALIZER };

static void *swapper(void *unused)
{
    pthread_mutex_lock(&pair.mutex);
    struct leaf *left = pair.left;
    pair.left = pair.right;
    pair.right = left;
    pthread_mutex_unlock(&pair.mutex);
    return NULL;
}

static void *reader(void *unused)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&pair.mutex);
#endif
    int sum = pair.left->value + pair.right->value;
#ifndef UNLOCKED
    pthread_mutex_unlock(&pair.mutex);
#endif
    assert(sum == 3);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, swapper, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
