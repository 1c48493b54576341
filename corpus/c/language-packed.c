/* Structures without gaps: sizes, offsets, and members at odd places.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect -DNATURAL sc: UNSAFE; tso: UNSAFE
 */
#include <assert.h>
#include <stddef.h>

struct header { char kind; short length; long id; } __attribute__((packed));
typedef struct __attribute__((__packed__)) { char pad; struct header inner; } frame;
struct natural { char kind; int value; };
struct member { char kind; int value __attribute__((packed)); short rest; };
struct wide { char kind; _Alignas(8) short value; char rest __attribute__((aligned(4))); };
struct line { int value; } __attribute__((aligned(64)));
#pragma pack(push, 2)
struct even { char kind; long value; };
#pragma pack(pop)
struct after { char kind; long value; };

int main(void)
{
#ifdef NATURAL
    assert(sizeof(struct natural) == 5);
#else
    assert(sizeof(struct natural) == 8 && offsetof(struct natural, value) == 4);
    assert(sizeof(struct header) == 11 && sizeof(frame) == 12);
    assert(offsetof(struct header, id) == 3 && offsetof(frame, inner.id) == 4);
    assert(sizeof(struct member) == 8 && offsetof(struct member, value) == 1);
    assert(sizeof(struct wide) == 16 && offsetof(struct wide, value) == 8 && offsetof(struct wide, rest) == 12);
    assert(sizeof(struct line) == 64 && sizeof(struct line[2]) == 128);
    assert(sizeof(struct even) == 10 && offsetof(struct even, value) == 2 && sizeof(struct after) == 16);
    frame frames[2] = { { 1, { 2, 3, 4 } }, { 5, { 6, 7, 8 } } };
    frame *second = &frames[1];
    char *bytes = (char *)frames;
    assert(second->inner.id == 8 && bytes[12] == 5 && bytes[14] == 7);
    bytes[16] = 9;
    assert(second->inner.id == 9);
#endif
    return 0;
}
