/* The older atomic builtins of GCC are full barriers and do what they say.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>

int x, y, r0, r1, lock;
long bits = 0xf0;

static void *left(void *unused)
{
    __sync_lock_test_and_set(&x, 1);
    __sync_synchronize();
    r0 = __sync_add_and_fetch(&y, 0);
    __sync_fetch_and_or(&bits, 0x0f);
    return NULL;
}

static void *right(void *unused)
{
    __sync_fetch_and_add(&y, 1);
    r1 = __sync_val_compare_and_swap(&x, 0, 0);
    __sync_and_and_fetch(&bits, ~0x10L);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r0 == 1 || r1 == 1);
    assert(bits == 0xef);
    assert(__sync_bool_compare_and_swap(&lock, 0, 5) && lock == 5);
    assert(__sync_lock_test_and_set(&lock, 6) == 5);
    __sync_lock_release(&lock);
    assert(lock == 0 && __sync_sub_and_fetch(&lock, 3) == -3 && __sync_fetch_and_xor(&lock, -1) == -3 && lock == 2);
    return 0;
}
