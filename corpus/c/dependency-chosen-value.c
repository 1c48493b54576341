/* Load buffering with a value that a branch on what was read has chosen: no compiler can write it before the read. Also where the
 * value lies in memory of the thread's own. With OWN what was chosen is not used.
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect ppc: SAFE
 * @expect -DOWN ppc: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y, r0, r1;

static void *left(void *unused)
{
    int seen = x, chosen = 0;
    r0 = seen;
    if (seen == 1)
        chosen = 1;
#ifdef OWN
    chosen = 1;
#endif
    y = chosen;
    return NULL;
}

static void choose(int seen, int *out)
{
    switch (seen) {
    case 1: *out = 1; break;
    default: *out = 0;
    }
}

static void *right(void *unused)
{
    int chosen, seen = y;
    r1 = seen;
    choose(seen, &chosen);
#ifdef OWN
    chosen = 1;
#endif
    x = chosen;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 0 || r1 == 0);
    return 0;
}
