/* How far two blocks are apart, nobody knows; as integers they may be subtracted.
 * @expect sc: UNKNOWN (line 15: the number of an address is computed with, or compared, and nobody knows which number it is)
 * @expect tso: UNKNOWN (line 15: the number of an address is computed with, or compared, and nobody knows which number it is)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct link { struct link *next; } *a, *b;

static void *one(void *unused)
{
    intptr_t distance = (intptr_t)a - (intptr_t)b;
    assert(distance < 1 << 20);
    return NULL;
}

int main(void)
{
    pthread_t t;
    a = malloc(sizeof *a);
    b = malloc(sizeof *b);
    pthread_create(&t, NULL, one, NULL);
    pthread_join(t, NULL);
    return 0;
}
