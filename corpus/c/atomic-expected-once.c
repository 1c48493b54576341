/* The arguments of a compare-exchange that fails are evaluated once, and what it found goes to where `expected` pointed then.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DTWICE sc: UNSAFE; tso: UNSAFE
 */
#include <assert.h>
#include <stdatomic.h>

atomic_int a = 5;
int b = 5;
int calls;

static int *place(int *all) { return &all[calls++]; }

int main(void)
{
    int all[3] = {0, 0, 0}, i = 0, t = 1, *p = all;
    atomic_compare_exchange_strong(&a, &all[i++], 7);
    __atomic_compare_exchange(&b, p++, &t, 0, 5, 5);
    __atomic_compare_exchange_n(&b, place(all), 9, 1, 5, 5);
#ifdef TWICE
    assert(i == 2 || calls == 2 || p == all + 2);
#else
    assert(i == 1 && calls == 1 && p == all + 1 && all[0] == 1 && all[1] == 0 && a == 5 && b == 1);
#endif
    return 0;
}
