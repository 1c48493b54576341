/* Treiber's stack with nodes from a pool. A thread that pops has read the top and its successor when the others take both, and put the first
 * one back: its compare-and-swap succeeds, and the successor, which is in use, becomes the top (ABA). Nothing is freed, so
 * nothing is used after its end. With -DCOUNTER the top has a counter beside it that each change increments.
 * @expect sc: UNSAFE; tso: UNSAFE
 * @expect -DCOUNTER sc: SAFE; tso: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Nodes are numbers from 1, so that a top and its counter fit into one word. */
static unsigned next[3];
static atomic_uint top;
static int used[3];

#ifdef COUNTER
#define NODE(word) ((word) & 0xff)
#define CHANGED(word, node) ((((word) >> 8) + 1) << 8 | (node))
#else
#define NODE(word) (word)
#define CHANGED(word, node) (node)
#endif

static unsigned pop(void)
{
    unsigned old = atomic_load(&top);
    if (NODE(old) == 0)
        return 0;
    unsigned after = next[NODE(old)];
    if (!atomic_compare_exchange_strong(&top, &old, CHANGED(old, after)))
        return 0;
    return NODE(old);
}

static void push(unsigned node)
{
    unsigned old = atomic_load(&top);
    do
        next[node] = NODE(old);
    while (!atomic_compare_exchange_strong(&top, &old, CHANGED(old, node)));
}

static void use(unsigned node)
{
    if (node != 0) {
        __VERIFIER_atomic_begin();
        assert(!used[node]);
        used[node] = 1;
        __VERIFIER_atomic_end();
    }
}

static void *first(void *unused)
{
    (void)unused;
    use(pop());
    use(pop());
    return 0;
}

static void *second(void *unused)
{
    (void)unused;
    unsigned a = pop();
    use(pop());
    if (a != 0)
        push(a);
    return 0;
}

int main(void)
{
    pthread_t one, other;
    next[1] = 2;
    next[2] = 0;
    atomic_init(&top, 1);
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
