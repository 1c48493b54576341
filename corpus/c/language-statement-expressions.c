/* GNU statement expressions and typeof, as the Linux kernel uses them: a macro that reads once and compares.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#define READ_ONCE(place) ({ __typeof__(place) value_ = *(volatile __typeof__(place) *)&(place); value_; })
#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })

int x, y;

static void *writer(void *unused)
{
    x = 3;
    y = 4;
    return NULL;
}

static void *reader(void *unused)
{
    int seen = max(READ_ONCE(x), READ_ONCE(y));
    assert(seen == 0 || seen == 3 || seen == 4);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(max(x, y) == 4);
    return 0;
}
