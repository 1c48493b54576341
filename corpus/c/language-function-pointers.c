/* Threads call through a table of functions, chosen by their argument and by a shared variable.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

typedef int (*operation)(int, int);

static int add(int a, int b)
{
    return a + b;
}

static int subtract(int a, int b)
{
    return a - b;
}

static int multiply(int a, int b)
{
    return a * b;
}

operation table[3] = { add, subtract, multiply };
operation chosen = add;
int results[2];

static void *choose(void *arg)
{
    int which = (int)(long)arg;
    results[0] = table[which](6, 3);
    chosen = table[which];
    return NULL;
}

static void *use(void *unused)
{
    results[1] = chosen(6, 3);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, choose, (void *)2L);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(results[0] == 18);
    assert(results[1] == 9 || results[1] == 18);
    return 0;
}
