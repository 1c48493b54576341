/* for, while and do, with break and continue, over shared memory.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int cells[4];
int total;

static void *filler(void *unused)
{
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            continue;
        cells[i] = i;
    }
    return NULL;
}

static void *other(void *unused)
{
    int i = 0;
    do {
        if (i == 3)
            break;
        i++;
    } while (i < 4);
    total = i;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, filler, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int sum = 0, i = 0;
    while (i < 4)
        sum += cells[i++];
    assert(sum == 4 && total == 3);
    return 0;
}
