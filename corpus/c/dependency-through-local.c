/* Message passing whose reader puts the pointer into memory of its own before it follows it: into a structure that a function
 * fills, and out of it through a copy. The address still depends on what was read.
 * @expect rmo: SAFE
 * @expect power-frame: SAFE
 * @expect ppc: SAFE
 * @expect alpha: UNSAFE
 * @expect -DCONSTANT rmo: UNSAFE; power-frame: UNSAFE; ppc: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct message { int text; };
struct box { int tag; struct message *inside; };

struct message old = { 1 }, new;
struct message *_Atomic mailbox = &old;

static void *writer(void *unused)
{
    new.text = 1;
    __sync_synchronize();
    atomic_store_explicit(&mailbox, &new, memory_order_relaxed);
    return NULL;
}

static void fetch(struct box *box)
{
    box->tag = 1;
    box->inside = atomic_load_explicit(&mailbox, memory_order_relaxed);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    struct box box, copy;
    fetch(&box);
    struct box *from = &box, *to = &copy;
    *to = *from;
#ifdef CONSTANT
    if (to->inside == &new)
        assert(new.text == 1);
#else
    assert(to->inside->text == 1);
#endif
    return 0;
}
