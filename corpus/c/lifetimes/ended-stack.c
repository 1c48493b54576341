/* A thread publishes the address of a variable of its own and ends; another one writes through it. With -DFIXED it waits until the
 * answer is there.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; ppc: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int *_Atomic request;

static void *client(void *unused)
{
    (void)unused;
    atomic_int answer = 0;
    atomic_store(&request, &answer);
#ifdef FIXED
    while (atomic_load(&answer) == 0)
        ;
#endif
    return NULL;
}

static void *server(void *unused)
{
    (void)unused;
    atomic_int *where = atomic_load(&request);
    if (where != NULL)
        atomic_store(where, 42);
#ifdef FIXED
    else {
        while ((where = atomic_load(&request)) == NULL)
            ;
        atomic_store(where, 42);
    }
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, client, NULL);
    pthread_create(&second, NULL, server, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
