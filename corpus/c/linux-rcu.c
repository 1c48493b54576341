/* Read-copy-update of the Linux kernel: readers hold no lock, the writer prepares a copy and switches the pointer.
 * Power needs at least lwsync before the switch; this model of it wants sync, and alpha a fence in the reader too.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: UNSAFE
 * @expect rmo: UNSAFE
 * @expect alpha: UNSAFE
 * @expect power-frame: UNSAFE
 * @expect -DLWSYNC sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: UNSAFE; power-frame: UNSAFE
 * @expect -DSYNC sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: UNSAFE; power-frame: SAFE
 * @expect -DSYNC -DREADER_FENCE sc: SAFE; tso: SAFE; pso: SAFE; rmo: SAFE; alpha: SAFE; power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#if defined SYNC
#define smp_wmb() __asm__ __volatile__("sync" ::: "memory")
#elif defined LWSYNC
#define smp_wmb() __asm__ __volatile__("lwsync" ::: "memory")
#else
#define smp_wmb() ((void)0)
#endif
#ifdef READER_FENCE
#define smp_read_barrier_depends() __sync_synchronize()
#else
#define smp_read_barrier_depends() ((void)0)
#endif

/* Preemption is off in a reader's section; that is no access to memory. */
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)

struct foo {
    int a;
    int b;
};

struct foo *gp;
pthread_mutex_t update = PTHREAD_MUTEX_INITIALIZER;

static void *updater(void *unused)
{
    struct foo *fresh = malloc(sizeof *fresh);
    pthread_mutex_lock(&update);
    struct foo *old = gp;
    fresh->a = old->a + 1;
    fresh->b = old->b + 1;
    smp_wmb();
    gp = fresh;
    pthread_mutex_unlock(&update);
    return NULL;
}

static void *reader(void *unused)
{
    rcu_read_lock();
    struct foo *seen = gp;
    smp_read_barrier_depends();
    int a = seen->a;
    int b = seen->b;
    rcu_read_unlock();
    assert(a == b);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    gp = calloc(1, sizeof *gp);
    pthread_create(&a, NULL, updater, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
