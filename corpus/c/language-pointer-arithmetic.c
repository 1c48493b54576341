/* Walking through an array by pointers: differences, comparisons, increments, elements of a structure array.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

struct point {
    int x, y;
};

struct point points[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
int sum;
long distance;

static void *walk(void *unused)
{
    struct point *end = points + 3;
    int mine = 0;
    for (struct point *p = points; p < end; p++)
        mine += p->y;
    sum = mine;
    distance = &points[2] - points;
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, walk, NULL);
    pthread_join(a, NULL);
    assert(sum == 12 && distance == 2);
    assert(*(&points[1].x + 1) == 4);
    return 0;
}
