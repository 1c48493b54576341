/* An atomic section: nobody comes between a read and a write inside it. Without it an update is lost.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DNO_SECTION sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef NO_SECTION
#define begin() ((void)0)
#define end() ((void)0)
#else
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#define begin() __VERIFIER_atomic_begin()
#define end() __VERIFIER_atomic_end()
#endif

int counter;

static void *count(void *unused)
{
    begin();
    int mine = counter;
    counter = mine + 1;
    end();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
