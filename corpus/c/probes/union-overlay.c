/* Members of a union of one size are one location: a write through one is read through the other.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

union word {
    int number;
    unsigned bits;
} w;

static void *negative(void *unused)
{
    w.number = -1;
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, negative, NULL);
    unsigned seen = w.bits;
    assert(seen == 0 || seen == 0xffffffffu);
    pthread_join(a, NULL);
    assert(w.bits == 0xffffffffu);
    return 0;
}
