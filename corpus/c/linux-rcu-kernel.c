/* Read-copy-update with the kernel's own operations, as threads of a C program. A grace period waits for the readers that began before
 * it, and a reader that began after it sees what came before it. Without the grace period nothing keeps the writes apart.
 * @expect lkmm: SAFE
 * @expect -DNO_GRACE_PERIOD lkmm: UNSAFE
 * @expect -DNO_READER lkmm: UNSAFE
 */
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

int x, y;
int r_x, r_y;

static void *reader(void *unused)
{
#ifndef NO_READER
    rcu_read_lock();
#endif
    WRITE_ONCE(x, 1);
    WRITE_ONCE(y, 1);
#ifndef NO_READER
    rcu_read_unlock();
#endif
    return NULL;
}

static void *updater(void *unused)
{
    r_x = READ_ONCE(x);
#ifndef NO_GRACE_PERIOD
    synchronize_rcu();
#endif
    r_y = READ_ONCE(y);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, updater, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(r_x == 1 && r_y == 0));
    return 0;
}
