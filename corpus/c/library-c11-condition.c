/* A condition variable, call_once and thread-specific storage of C11.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <threads.h>

mtx_t mutex;
cnd_t changed;
tss_t key;
once_flag once = ONCE_FLAG_INIT;
int ready, value, setups;

static void set_up(void)
{
    setups++;
}

static int producer(void *unused)
{
    call_once(&once, set_up);
    value = 9;
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    return 0;
}

static int consumer(void *unused)
{
    call_once(&once, set_up);
    tss_set(key, &value);
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    int *place = tss_get(key);
    assert(*place == 9);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    tss_create(&key, NULL);
    thrd_create(&a, producer, NULL);
    thrd_create(&b, consumer, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(setups == 1);
    return 0;
}
