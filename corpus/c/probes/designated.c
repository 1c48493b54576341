/* Designated initialisers of arrays and structures, with gaps, overrides and nesting; compound literals, also by
 * address.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DWRONG sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

struct point {
    int x, y;
};

struct shape {
    const char *name;
    struct point corners[3];
    int kind;
};

int table[6] = { [4] = 40, 50, [1] = 10, [1] = 11 };
struct shape shape = { .kind = 7, .corners = { [1] = { .y = 5 }, { 8, 9 } } };
struct point *shared;

static void *reader(void *unused)
{
    struct point *p = shared;
    assert(p->x == 3 && p->y == 0);
    return NULL;
}

int main(void)
{
    assert(table[0] == 0 && table[1] == 11 && table[2] == 0 && table[4] == 40 && table[5] == 50);
    assert(shape.name == NULL && shape.kind == 7);
    assert(shape.corners[0].x == 0 && shape.corners[1].x == 0 && shape.corners[1].y == 5);
#ifdef WRONG
    assert(shape.corners[2].x == 9);
#else
    assert(shape.corners[2].x == 8 && shape.corners[2].y == 9);
#endif
    shared = &(struct point){ .x = 3 };
    struct point copy = (struct point){ 1, 2 };
    copy = (struct point){ .y = copy.x };
    assert(copy.x == 0 && copy.y == 1);
    pthread_t a;
    pthread_create(&a, NULL, reader, NULL);
    pthread_join(a, NULL);
    return 0;
}
