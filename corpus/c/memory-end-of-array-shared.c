/* A thread hands on a pointer to one past the last element; who takes it steps back from there.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect -DINSIDE sc: SAFE; tso: SAFE
 * @options --property assert
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int numbers[3] = { 5, 6, 7 };
int *volatile end;

static void *producer(void *unused)
{
    int count = __VERIFIER_nondet_int();
#ifdef INSIDE
    if (count >= 1 && count < 3)
#else
    if (count >= 1 && count <= 3)
#endif
        end = numbers + count;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    int *here = end;
    if (here)
        assert(here[-1] < 7);
    return 0;
}
