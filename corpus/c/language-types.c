/* Integers of different sizes wrap as they do in C: a char counts modulo 256, an unsigned difference does not get
 * negative, a truth value is 0 or 1.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

unsigned char small = 255;
short middle = 32767;
unsigned large;
bool truth;

static void *worker(void *unused)
{
    small++;
    middle = (short)(middle + 1);
    large = large - 1u;
    truth = 256;
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    pthread_join(a, NULL);
    assert(small == 0);
    assert(middle == -32768);
    assert(large == 4294967295u && -1 == (int)large);
    assert(truth == 1);
    assert(sizeof(long) == 8 && sizeof small == 1);
    return 0;
}
