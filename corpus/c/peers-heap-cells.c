/* Two threads count in different cells of one object on the heap. Who takes the object for one location loses
 * updates.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct counters {
    int left, right;
    int rest[2];
};

struct counters *counters;

static void *one(void *unused)
{
    counters->left++;
    counters->rest[0]++;
    return NULL;
}

static void *two(void *unused)
{
    counters->right++;
    counters->rest[1]++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    counters = calloc(1, sizeof *counters);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counters->left == 1 && counters->right == 1);
    assert(counters->rest[0] == 1 && counters->rest[1] == 1);
    return 0;
}
