/* The members of a structure are locations of their own: message passing through two members of one object is
 * reordered like that through two variables.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

struct message {
    int data;
    int ready;
};

struct message message;

static void *writer(void *unused)
{
    message.data = 1;
    fence();
    message.ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    if (message.ready) {
        fence();
        assert(message.data == 1);
    }
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
