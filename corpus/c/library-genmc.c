/* A program for GenMC: threads by its own names, marks for its search, a hazard pointer, a lock of a specification.
 * With -DRELAXED the message is passed without an order, which matters where writes or reads change places.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

atomic_int flag;
int data;
int *_Atomic shared;
__VERIFIER_plock_t lock;
int counter;

static void *writer(void *arg)
{
    __VERIFIER_method_begin("write", 1);
    data = *(int *)arg;
    __VERIFIER_final_write(atomic_store_explicit(&flag, 1, ORDER));
    __VERIFIER_method_end("write", 0);
    __VERIFIER_plock_lock(&lock);
    counter++;
    __VERIFIER_plock_unlock(&lock);
    return arg;
}

static void *reader(void *unused)
{
    int seen;
    for (__VERIFIER_loop_begin(); __VERIFIER_spin_start(),
         seen = __VERIFIER_speculative_read(atomic_load_explicit(&flag, ORDER)), __VERIFIER_spin_end(seen), !seen;)
        ;
    assert(data == 7);
    __VERIFIER_hp_t *guard = __VERIFIER_hp_alloc();
    int *old = __VERIFIER_hp_protect(guard, &shared);
    assert(*old == 3);
    __VERIFIER_hp_retire(old);
    __VERIFIER_hp_free(guard);
    __VERIFIER_plock_lock(&lock);
    counter++;
    __VERIFIER_plock_unlock(&lock);
    return NULL;
}

int main(void)
{
    static int seven = 7;
    shared = malloc(sizeof(int));
    *shared = 3;
    __VERIFIER_thread_t a = __VERIFIER_spawn(writer, &seven);
    __VERIFIER_thread_t b = __VERIFIER_spawn(reader, NULL);
    assert(__VERIFIER_join(a) == &seven);
    __VERIFIER_join_symmetric(b);
    assert(counter == 2);
    return 0;
}
