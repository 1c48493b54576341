/* The bytes of a pointer in a structure, one by one: a checksum over memory.
 * @expect sc: UNKNOWN (line 19: a part of an address is used as a number, and nobody knows which number)
 * @expect tso: UNKNOWN (line 19: a part of an address is used as a number, and nobody knows which number)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct message { struct message *next; } message;

static void *one(void *unused)
{
    unsigned sum = 0;
    struct message copy = message;
    unsigned char *bytes = (unsigned char *)&copy;
    for (unsigned i = 0; i < sizeof copy; i++)
        sum += bytes[i];
    assert(sum != 7);
    return NULL;
}

int main(void)
{
    pthread_t a;
    message.next = &message;
    pthread_create(&a, NULL, one, NULL);
    pthread_join(a, NULL);
    return 0;
}
