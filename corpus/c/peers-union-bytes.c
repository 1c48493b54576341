/* Two threads write different bytes of one union. Who takes the union for one location loses a write.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

union bytes {
    unsigned char byte[4];
    signed char sign[4];
};

union bytes bytes;

static void *one(void *unused)
{
    bytes.byte[0] = 1;
    bytes.byte[0]++;
    return NULL;
}

static void *two(void *unused)
{
    bytes.byte[1] = 2;
    bytes.byte[1]++;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(bytes.sign[0] == 2 && bytes.sign[1] == 3);
    return 0;
}
