/* A packed structure has no alignment, whatever its members are.
 * @expect sc: UNKNOWN (line 16: a part of an address is used as a number, and nobody knows which number)
 * @expect tso: UNKNOWN (line 16: a part of an address is used as a number, and nobody knows which number)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct __attribute__((packed)) pair { int a, b; } object;

static void *one(void *p)
{
    uintptr_t seen = (uintptr_t)p;
    assert((seen & 3) == 0);
    return NULL;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, one, &object);
    pthread_join(a, NULL);
    return 0;
}
