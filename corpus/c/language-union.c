/* A union of members of one size: what is written through one is read through the other, and is one location.
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
};

union word word;

static void *writer(void *unused)
{
    word.number = -1;
    return NULL;
}

static void *reader(void *unused)
{
    unsigned seen = word.bits;
    assert(seen == 0 || seen == 0xffffffffu);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(word.bits == 0xffffffffu);
    return 0;
}
