/* A block has as many places as there are threads, any number from two. A thread writes a variable that `main` reads after it has
 * joined one of them.
 * @expect sc: UNSAFE
 * @options --property race --engine lazy --unwind 3
 */
#include <pthread.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    unsigned total = __VERIFIER_nondet_uint();
    __VERIFIER_assume(total >= 2);
    pthread_t *threads = malloc(total * sizeof *threads);
    for (int i = (int)total - 1; i >= 0; i--)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_join(threads[1], NULL);
    return data;
}
