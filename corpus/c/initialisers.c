/* Initialisers that say twice what a part holds: the last counts, and for a part in braces nothing of the first is left. A structure is not
 * copied if a part of it is initialised again. Values behind a designator of a part inside another one go on behind that part. What a
 * range of elements holds is computed once.
 * @expect sc: SAFE; tso: SAFE
 * @expect -DKEPT sc: UNSAFE
 * @expect -DTHRICE sc: UNSAFE
 */
#include <assert.h>

struct option {
    int key, limit;
};
struct outer {
    struct option inner;
    int last;
};
struct text {
    char letters[4];
};
union view {
    int word;
    char bytes[4];
};
struct hidden {
    int first;
    struct {
        int a, b;
    };
    int last;
};

/* Ranges and single elements. */
static const struct option options[3] = {[0 ... 2] = {1, 2}, [1] = {.key = 7}};
static int grid[1][2] = {{1, 2}, [0] = {3}};
static struct text text = {.letters = "abc", .letters = "x"};
static union view view = {.word = -1, .bytes = {1}};

/* Behind a designator. */
static struct outer behind = {.inner.key = 1, 2, 3};
static struct hidden within = {.a = 1, 2, 3};

static int calls;

static int call(void) {
    return ++calls;
}

int main(void) {
    assert(options[0].key == 1 && options[2].limit == 2);
    assert(options[1].key == 7);
#ifdef KEPT
    assert(options[1].limit == 2);
#else
    assert(options[1].limit == 0);
#endif
    assert(grid[0][0] == 3 && grid[0][1] == 0);
    assert(text.letters[0] == 'x' && text.letters[1] == 0 && text.letters[2] == 0);
    assert(view.word == 1);
    assert(behind.inner.key == 1 && behind.inner.limit == 2 && behind.last == 3);
    assert(within.first == 0 && within.a == 1 && within.b == 2 && within.last == 3);
    struct outer local = {.inner = {1, 2}, .inner = {.key = 3}};
    assert(local.inner.key == 3 && local.inner.limit == 0 && local.last == 0);
    struct option copied = {4, 5};
    struct outer changed = {.inner = copied, .inner.key = 0};
    assert(changed.inner.key == 0 && changed.inner.limit == 0);
    int range[3] = {[0 ... 2] = call()};
#ifdef THRICE
    assert(range[2] == 3);
#else
    assert(calls == 1 && range[0] == 1 && range[2] == 1);
#endif
    return 0;
}
