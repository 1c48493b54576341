/* A loop that counts how often it has looked: no two iterations are the same, so there is no answer without a bound.
 * @expect sc: SAFE (unwind 3)
 * @expect -DPLAIN sc: SAFE
 * @options --property progress --unwind 3
 */
#include <pthread.h>
#include <stddef.h>

static volatile int flag;

static void *waiter(void *unused)
{
    (void)unused;
    int looks = 0;
    while (!flag)
#ifdef PLAIN
        ;
#else
        looks++;
#endif
    return looks == 100 ? (void *)&flag : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    flag = 1;
    pthread_join(thread, NULL);
    return 0;
}
