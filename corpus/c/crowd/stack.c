/* Any number of threads push onto a stack in an array, under a lock, until it is full. BROKEN takes the next free node
 * without the lock, and two threads may take the same one.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect -DBROKEN sc: UNSAFE; tso: UNSAFE; pso: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#define NODES 4

int next[NODES + 1];
int top, used;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *push(void *arg)
{
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    if (used < NODES) {
        int node = used + 1;
        used = node;
#ifdef BROKEN
        pthread_mutex_lock(&lock);
#endif
        next[node] = top;
        assert(top != node);
        top = node;
#ifdef BROKEN
        pthread_mutex_unlock(&lock);
#endif
    }
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, NULL, push, NULL);
}
