/* Two threads allocate and free: nothing is left, and the search for leaks itself is no race.
 * @expect --property memory-leak sc: SAFE; ppc: SAFE; rc11: SAFE
 * @expect -DLEFT --property memory-leak sc: UNSAFE; ppc: UNSAFE; rc11: UNSAFE
 */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
    int *block = malloc(sizeof *block);
#ifdef LEFT
    if (arg == NULL)
        return NULL;
#endif
    free(block);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, &thread);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
