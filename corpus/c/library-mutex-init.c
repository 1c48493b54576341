/* A mutex inside a structure on the heap, made by pthread_mutex_init and given up by pthread_mutex_destroy.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static void *deposit(void *arg)
{
    struct account *account = arg;
    pthread_mutex_lock(&account->mutex);
    account->balance += 5;
    pthread_mutex_unlock(&account->mutex);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->mutex, NULL);
    account->balance = 10;
    pthread_create(&a, NULL, deposit, account);
    pthread_create(&b, NULL, deposit, account);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(account->balance == 20);
    pthread_mutex_destroy(&account->mutex);
    free(account);
    return 0;
}
