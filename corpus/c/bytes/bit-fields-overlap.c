/* Packed bit-fields that share bytes in a row of more than 8, and first values of unions whose first member is a bit-field or bit-fields:
 * as gcc lays them out.
 * @expect sc: SAFE; tso: SAFE; ppc: SAFE
 * @expect -DNEIGHBOUR sc: UNSAFE; tso: UNSAFE; ppc: UNSAFE
 */
#include <assert.h>
#include <stdint.h>

struct __attribute__((packed)) row {
    uint8_t first;
    int64_t a : 30;
    uint64_t b : 37;
    int32_t c : 21;
    uint64_t d : 12;
    uint8_t last;
};

union first_field {
    signed f : 20;
    uint64_t word;
};

union fields {
    struct {
        unsigned low : 3, high : 9;
        int other : 7;
    } in;
    uint64_t word;
};

static struct row global = { 0x11, -3, 0x1234567891ull, -77, 0xabc, 0x22 };
static union first_field one = { -5 };
static union fields many[2] = { { { 5, 0x1ff, -1 } }, { .word = 0x0102030405060708ull } };

static void check(struct row *row)
{
    assert(row->first == 0x11 && row->last == 0x22);
    assert(row->a == -3 && row->b == 0x1234567891ull && row->c == -77 && row->d == 0xabc);
}

static struct row changed(struct row row)
{
    row.c++;
    return row;
}

int main(void)
{
    struct row local = { 0x11, -3, 0x1234567891ull, -77, 0xabc, 0x22 };
    assert(sizeof global == 15);
    check(&global);
    check(&local);
    local.b = 0;
    assert(local.a == -3 && local.c == -77);
    local.a = 0x1fffffff;
    local.c = 0xfffff;
    assert(local.b == 0 && local.d == 0xabc && local.a == 0x1fffffff && local.c == 0xfffff);
    local = changed(global);
    assert(local.c == -76 && local.b == 0x1234567891ull && local.d == 0xabc);
#ifdef NEIGHBOUR
    local.d = 0;
    assert(local.c == -76 && local.d);
#endif
    assert(one.word == 0xffffbull);
    assert(many[0].word == (5 | 0x1ffull << 3 | 0x7full << 12));
    assert(many[1].in.low == 0 && many[1].in.high == 0xe1);
    return 0;
}
