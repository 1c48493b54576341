/* The address of a variable of a loop's body is handed to threads that outlive the iteration: the next one uses the same
 * place. With JOIN each thread ends before that.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect -DJOIN sc: SAFE; tso: SAFE
 */
#include <assert.h>
#include <pthread.h>

struct task { int number, sum; };
int done[3];

static void *run(void *arg)
{
    struct task *task = arg;
    done[task->number]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        struct task task = { i };
        assert(task.sum == 0);
        task.sum = 7;
        pthread_create(&threads[i], NULL, run, &task);
#ifdef JOIN
        pthread_join(threads[i], NULL);
#endif
    }
#ifndef JOIN
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
#endif
    assert(done[0] == 1 && done[1] == 1 && done[2] == 1);
    return 0;
}
