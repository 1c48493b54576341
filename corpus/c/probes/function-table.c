/* Functions through a table, with structures by value and results by pointer; static locals are shared, automatic
 * ones are not.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DSHARED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

struct pair {
    int a, b;
};

static struct pair swap(struct pair p)
{
    return (struct pair){ p.b, p.a };
}

static struct pair twice(struct pair p)
{
    p.a *= 2;
    p.b *= 2;
    return p;
}

typedef struct pair (*step)(struct pair);

static step const table[] = { swap, twice };

static void *run(void *arg)
{
#ifdef SHARED
    static struct pair p;
#else
    struct pair p;
#endif
    struct pair *out = arg;
    p = *out;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        p = (*table[i])(p);
    *out = p;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct pair one = { 1, 2 }, two = { 3, 4 };
    pthread_create(&a, NULL, run, &one);
    pthread_create(&b, NULL, run, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(one.a == 4 && one.b == 2 && two.a == 8 && two.b == 6);
    return 0;
}
