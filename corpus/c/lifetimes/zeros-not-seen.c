/* The zeros of a block from `calloc` are written by the thread that asks for it. Who comes by the address without being ordered behind that may see what was there
 * before, where writes overtake each other. With -DRELEASE the address is handed over in order. So it is with -DMUTEX.
 * @expect sc: SAFE; tso: SAFE; pso: UNSAFE; aarch64: UNSAFE; riscv: UNSAFE; ppc: UNSAFE; rc11: UNSAFE
 * @expect -DRELEASE sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE; rc11: SAFE
 * @expect -DMUTEX sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; ppc: SAFE; rc11: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct account { int balance; int limit; };

static _Atomic(struct account *) shown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef RELEASE
#define WRITE memory_order_release
#define READ memory_order_acquire
#else
#define WRITE memory_order_relaxed
#define READ memory_order_relaxed
#endif

static void *reader(void *unused)
{
#ifdef MUTEX
    pthread_mutex_lock(&lock);
#endif
    struct account *account = atomic_load_explicit(&shown, READ);
#ifdef MUTEX
    pthread_mutex_unlock(&lock);
#endif
    if (account) assert(account->balance == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    struct account *account = calloc(1, sizeof *account);
#ifdef MUTEX
    pthread_mutex_lock(&lock);
#endif
    atomic_store_explicit(&shown, account, WRITE);
#ifdef MUTEX
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(thread, NULL);
    free(account);
    return 0;
}
