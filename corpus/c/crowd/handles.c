/* The handles of threads differ, however many there are.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t thread, last = 0;
    for (int count = 0;; count++) {
        pthread_create(&thread, NULL, work, NULL);
        if (count > 5)
            assert(thread == last);
        last = thread;
    }
}
