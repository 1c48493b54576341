/* A constant variable of a function is written by another thread, through a pointer that forgot what it points to. With -DVARIABLE it is none, with
 * -DREAD it is only read. With -DAGAIN the declaration is passed a second time, which gives the variable its value anew.
 * @expect sc: UNSAFE; tso: UNSAFE; rc11: UNSAFE
 * @expect -DVARIABLE sc: SAFE; tso: SAFE; rc11: SAFE
 * @expect -DREAD sc: SAFE; tso: SAFE; rc11: SAFE
 * @expect -DREAD -DAGAIN sc: SAFE; rc11: SAFE
 * @expect -DAGAIN sc: UNSAFE
 */
#include <pthread.h>
#include <stddef.h>

#ifdef VARIABLE
#define CONSTANT
#else
#define CONSTANT const
#endif

#ifdef AGAIN
#define ROUNDS 2
#else
#define ROUNDS 1
#endif

static int sum;

static void *worker(void *argument)
{
#ifdef READ
    sum += *(const int *)argument;
#else
    *(int *)argument = 1;
#endif
    return NULL;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;
        CONSTANT int number = round;
        pthread_create(&thread, NULL, worker, (void *)&number);
        pthread_join(thread, NULL);
    }
    return 0;
}
