/* Two transfers between two accounts, each account with its mutex, always locked in the same order. No money is
 * lost; without the locks some is.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DUNLOCKED sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

struct account accounts[2] = { { PTHREAD_MUTEX_INITIALIZER, 10 }, { PTHREAD_MUTEX_INITIALIZER, 10 } };

static void transfer(struct account *from, struct account *to, int amount)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&accounts[0].mutex);
    pthread_mutex_lock(&accounts[1].mutex);
#endif
    from->balance -= amount;
    to->balance += amount;
#ifndef UNLOCKED
    pthread_mutex_unlock(&accounts[1].mutex);
    pthread_mutex_unlock(&accounts[0].mutex);
#endif
}

static void *there(void *unused)
{
    transfer(&accounts[0], &accounts[1], 3);
    return NULL;
}

static void *back(void *unused)
{
    transfer(&accounts[1], &accounts[0], 5);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, there, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(accounts[0].balance + accounts[1].balance == 20);
    return 0;
}
