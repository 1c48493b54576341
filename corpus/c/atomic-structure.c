/* Structures as atomic objects: a load, a store, an exchange or a compare-exchange of up to 8 bytes is one access, with the order that is
 * given, also where operators do it. Members of different sizes, a gap between them, a pointer.
 * @expect sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; riscv: SAFE; ppc: SAFE; rc11: SAFE
 * @expect -DOPERATORS sc: SAFE; tso: SAFE; pso: SAFE; aarch64: SAFE; rc11: SAFE
 * @expect -DRELAXED sc: SAFE; tso: SAFE; pso: UNSAFE; aarch64: UNSAFE; rc11: UNSAFE
 * @expect -DWRONG sc: UNSAFE; rc11: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct state {
    int a;
    char b;
    short c;
};

struct node {
    int value;
};

struct top {
    struct node *first;
};

_Atomic struct state state = { 1, 1, 5 };
_Atomic struct top top;
struct node node = { 7 };

static void *writer(void *unused)
{
    struct state new = { 2, 2, 6 };
#ifdef OPERATORS
    state = new;
#else
    node.value = 8;
#ifdef RELAXED
    atomic_store_explicit(&state, new, memory_order_relaxed);
#else
    atomic_store_explicit(&state, new, memory_order_release);
#endif
#endif
    struct top here = { &node };
    top = here;
    return unused;
}

int main(void)
{
    _Static_assert(sizeof state == 8 && _Alignof(_Atomic struct state) == 8, "one access");
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
#ifdef OPERATORS
    struct state seen = state;
#else
    struct state seen = atomic_load_explicit(&state, memory_order_acquire);
    if (seen.a == 2)
        assert(node.value == 8);
#endif
    assert(seen.a == seen.b && seen.c == seen.a + 4);
    pthread_join(t, 0);

    struct top found = top;
    assert(found.first == &node && found.first->value >= 7);
    struct state expected = { 2, 2, 6 }, next = { 3, 4, 5 };
    assert(atomic_compare_exchange_strong(&state, &expected, next));
    struct state old = atomic_exchange(&state, expected);
    assert(old.a == 3 && old.b == 4 && old.c == 5);
    expected.a = 9;
    assert(!atomic_compare_exchange_strong(&state, &expected, next));
    assert(expected.a == 2 && expected.c == 6);
    struct state copy;
    __atomic_load(&state, &copy, __ATOMIC_SEQ_CST);
    atomic_init(&state, next);
    assert(copy.b == 2 && atomic_load(&state).a == 3);
#ifdef WRONG
    assert(atomic_load(&state).c == 6);
#endif
    return 0;
}
