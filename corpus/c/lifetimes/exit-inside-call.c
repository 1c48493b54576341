/* A thread publishes the address of its variable in a function that ends the thread by pthread_exit: the variable ends as well, though the call
 * that made it never returns. With -DFIXED the thread waits for the answer first. With -DDEEP there are two calls around, each with a variable.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DDEEP sc: UNSAFE; rc11: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE
 * @expect -DFIXED -DDEEP sc: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int *_Atomic request;

static void leave(atomic_int *answer)
{
    atomic_store(&request, answer);
#ifdef FIXED
    while (atomic_load(answer) == 0)
        ;
#endif
    pthread_exit(NULL);
}

static void between(atomic_int *answer)
{
    int own = 0;
    int *volatile pointer = &own;
    *pointer = 1;
    leave(answer);
}

static void *client(void *unused)
{
    (void)unused;
    atomic_int answer = 0;
#ifdef DEEP
    between(&answer);
#else
    leave(&answer);
#endif
    return NULL;
}

static void *server(void *unused)
{
    (void)unused;
    atomic_int *found = atomic_load(&request);
    if (found != NULL)
        atomic_store(found, 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, server, NULL);
    pthread_join(b, NULL);
    return 0;
}
