/* A sequence lock whose two writers do not exclude each other: both make the version odd, and a reader may see an
 * even version between them. Wrong everywhere.
 * @expect sc: UNSAFE
 * @expect tso: UNSAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

int version;
int left, right;

static void *writer(void *unused)
{
    version = version + 1;
    left = 1;
    right = 1;
    version = version + 1;
    return NULL;
}

static void *other_writer(void *unused)
{
    version = version + 1;
    left = 2;
    right = 2;
    version = version + 1;
    return NULL;
}

static void *reader(void *unused)
{
    int before = version;
    int a = left;
    int b = right;
    int after = version;
    if (before == after && before % 2 == 0)
        assert(a == b);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, other_writer, NULL);
    pthread_create(&c, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
