/* A state machine by switch, with fall-through and default, driven by one thread and watched by another.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

enum state { IDLE, STARTING, RUNNING, STOPPED };

enum state state = IDLE;

static enum state next(enum state now)
{
    switch (now) {
    case IDLE:
        return STARTING;
    case STARTING:
    case RUNNING:
        return now + 1;
    default:
        return STOPPED;
    }
}

static void *driver(void *unused)
{
    for (int step = 0; step < 4; step++)
        state = next(state);
    return NULL;
}

static void *watcher(void *unused)
{
    enum state before = state;
    enum state after = state;
    assert(before <= after);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, driver, NULL);
    pthread_create(&b, NULL, watcher, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(state == STOPPED);
    return 0;
}
