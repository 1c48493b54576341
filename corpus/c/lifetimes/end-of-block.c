/* A thread gets the address of a variable of an inner block, which ends before the thread is joined. With -DFIXED the thread is joined in the
 * block.
 * @expect sc: UNSAFE; tso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; rc11: SAFE
 */
#include <pthread.h>
#include <stddef.h>

static void *worker(void *argument)
{
    *(int *)argument += 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int round = 0; round < 2; round++) {
        {
            int number = round;
            pthread_create(&thread, NULL, worker, &number);
#ifdef FIXED
            pthread_join(thread, NULL);
#endif
        }
#ifndef FIXED
        pthread_join(thread, NULL);
#endif
    }
    return 0;
}
