/* Message passing of an item in an array at any index. The store of the item may be overtaken by that of the flag
 * where writes change places.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DFENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence() ((void)0)
#endif

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

int cells[3];
int which, ready;

static void *writer(void *unused)
{
    cells[which] = 5;
    fence();
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    if (ready) {
        fence();
        assert(cells[which] == 5);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    which = __VERIFIER_nondet_int();
    __VERIFIER_assume(which >= 0 && which < 3);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
