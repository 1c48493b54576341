/* An address may be any number, also this one.
 * @expect sc: UNKNOWN (line 20: the number of an address is computed with, or compared, and nobody knows which number it is)
 * @expect tso: UNKNOWN (line 20: the number of an address is computed with, or compared, and nobody knows which number it is)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

int object;

static int is_magic(void *p)
{
    return (uintptr_t)p == 0x55550000;
}

static void *one(void *p)
{
    assert(!is_magic(p));
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, one, &object);
    pthread_join(a, NULL);
    return 0;
}
