/* `main` lends a variable to a thread and ends by pthread_exit, so that the thread outlives it: its variables end with it. With -DFIXED it joins the
 * thread first, with -DSTATIC the variable lives as long as the program.
 * @expect sc: UNSAFE; tso: UNSAFE; rc11: UNSAFE
 * @expect -DFIXED sc: SAFE; tso: SAFE; rc11: SAFE
 * @expect -DSTATIC sc: SAFE; tso: SAFE; rc11: SAFE
 */
#include <pthread.h>
#include <stddef.h>

static void *worker(void *argument)
{
    *(int *)argument = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
#ifdef STATIC
    static int number;
#else
    int number = 0;
#endif
    pthread_create(&thread, NULL, worker, &number);
#ifdef FIXED
    pthread_join(thread, NULL);
#endif
    pthread_exit(NULL);
}
