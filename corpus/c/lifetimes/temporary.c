/* The structure that a call returns lives until the end of the full expression, and so does one that an assignment or a comma gives. With -DCALL, -DASSIGNED,
 * -DCONDITION and -DMEMBER an array in such a structure is used later.
 * @expect sc: SAFE
 * @expect -DCALL sc: UNSAFE
 * @expect -DASSIGNED sc: UNSAFE
 * @expect -DCONDITION sc: UNSAFE
 * @expect -DMEMBER sc: UNSAFE
 */
#include <assert.h>
#include <string.h>

struct text { int length; char bytes[4]; };
struct line { struct text text; int number; };

static struct text text(char first)
{
    return (struct text){ 1, { first } };
}

static struct line line(void)
{
    struct line line = { text('x'), 1 };
    return line;
}

static int length(const char *bytes)
{
    return (int)strlen(bytes);
}

int main(void)
{
    struct text one = text('a'), other;
    assert(length(text('b').bytes) == 1);
    assert(text('c').bytes[0] == 'c' && line().text.bytes[0] == 'x');
    for (int i = 0; i < 3 && length(text('d').bytes) == 1; i++) other = text((char)('e' + i));
    const char *bytes = other.bytes;
    assert(bytes[0] == 'g');
#ifdef CONDITION
    if ((bytes = text('i').bytes) != 0) assert(bytes[0] == 'i');
#else
    if ((bytes = other.bytes) != 0) assert(bytes[0] != 'i');
    bytes = one.bytes;
#endif
#ifdef CALL
    bytes = text('h').bytes;
#elif defined ASSIGNED
    bytes = (other = one).bytes;
#elif defined MEMBER
    bytes = &line().text.bytes[0];
#endif
    assert(bytes[0] != 'z');
    return 0;
}
