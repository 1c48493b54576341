/* A function starts a thread with the address of its own variable and returns without waiting. With -DFIXED it waits.
 * @expect sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; aarch64: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; ppc: SAFE; aarch64: SAFE; riscv: SAFE
 */
#include <pthread.h>
#include <stddef.h>

static int sum;

static void *worker(void *argument)
{
    int *number = argument;
    sum += *number;
    return NULL;
}

static pthread_t start(int number)
{
    pthread_t thread;
    int own = number;
    pthread_create(&thread, NULL, worker, &own);
#ifdef FIXED
    pthread_join(thread, NULL);
#endif
    return thread;
}

int main(void)
{
    pthread_t thread = start(3);
#ifndef FIXED
    pthread_join(thread, NULL);
#endif
    (void)thread;
    return 0;
}
