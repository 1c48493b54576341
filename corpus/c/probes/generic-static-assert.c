/* _Generic, _Static_assert, _Alignas, _Alignof, enumerators, attributes, inline and _Noreturn.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define kind(v) _Generic((v), int : 1, unsigned : 2, char : 3, long : 4, default : 5)

enum colour { RED, GREEN = 5, BLUE, LAST = BLUE + 10 };

_Static_assert(LAST == 16, "enumerators count on");
_Static_assert(sizeof(enum colour) == sizeof(int), "an enumeration is an int");

typedef struct __attribute__((aligned(64))) {
    int value;
} padded;


_Alignas(64) int apart;
static padded counters[2] __attribute__((unused));

static inline __attribute__((always_inline, const)) int twice(int n)
{
    return 2 * n;
}

static void *count(void *arg)
{
    padded *mine = arg;
    mine->value = twice(GREEN);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    char c = 0;
    _Static_assert(_Alignof(int) == 4, "as usual");
    assert(kind(1) == 1 && kind(1u) == 2 && kind(c) == 3 && kind(1L) == 4 && kind(&c) == 5);
    pthread_create(&a, NULL, count, &counters[0]);
    pthread_create(&b, NULL, count, &counters[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counters[0].value + counters[1].value + apart == 20);
    return 0;
}
