/* Atomic sections and assumptions under CBMC's names.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DNONE sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>

#ifdef NONE
#define begin() ((void)0)
#define end() ((void)0)
#else
#define begin() __CPROVER_atomic_begin()
#define end() __CPROVER_atomic_end()
#endif

void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
void __CPROVER_assume(_Bool);
char nondet_char(void);

int account = 100, taken;

static void *withdraw(void *unused)
{
    int amount = nondet_char();
    __CPROVER_assume(amount == 30 || amount == 70);
    begin();
    int balance = account;
    if (balance >= amount) {
        account = balance - amount;
        taken += amount;
    }
    end();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, withdraw, NULL);
    pthread_create(&b, NULL, withdraw, NULL);
    __CPROVER_atomic_begin();
    account += 50;
    __CPROVER_atomic_end();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    __CPROVER_assert(account + taken == 150, "no money is lost or made");
    return 0;
}
