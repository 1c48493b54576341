/* The mutex lies in the object that it protects. The thread that finds the object unused frees it, while the other one has not yet
 * left `unlock`: the classic mistake with locks inside objects. With -DFIXED the lock is outside.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int users;
};

static struct object *object;
static pthread_mutex_t outside = PTHREAD_MUTEX_INITIALIZER;

static void *leave(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_t *lock = &outside;
#else
    pthread_mutex_t *lock = &object->lock;
#endif
    pthread_mutex_lock(lock);
    int left = --object->users;
#ifdef FIXED
    if (left == 0)
        free(object);
    pthread_mutex_unlock(lock);
#else
    if (left == 0)
        free(object);
    pthread_mutex_unlock(lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    object = malloc(sizeof *object);
    pthread_mutex_init(&object->lock, NULL);
    object->users = 2;
    pthread_create(&first, NULL, leave, NULL);
    pthread_create(&second, NULL, leave, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
