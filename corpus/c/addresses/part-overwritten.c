/* Some bytes of a pointer are overwritten: nobody knows where it points then, until all of them are.
 * @expect sc: UNKNOWN (line 33: a part of an address was overwritten, and nobody knows which number is left)
 * @expect tso: UNKNOWN (line 33: a part of an address was overwritten, and nobody knows which number is left)
 * @expect -DBYTE sc: UNKNOWN (line 33: a part of an address was overwritten, and nobody knows which number is left)
 * @expect -DFILL sc: UNKNOWN (line 33: a part of an address was overwritten, and nobody knows which number is left)
 * @expect -DUPPER sc: UNKNOWN (line 33: a part of an address was overwritten, and nobody knows which number is left)
 * @expect -DALL sc: SAFE; tso: SAFE
 * @expect -DAGAIN sc: SAFE; tso: SAFE
 */
#include <assert.h>
#include <string.h>

int numbers[4] = {7, 8, 9, 10};

int main(void)
{
    int *p = &numbers[2];
#if defined BYTE
    *(char *)&p = 4;
#elif defined FILL
    memset(&p, 0, 4);
#elif defined UPPER
    ((int *)&p)[1] = 0;
#elif defined ALL
    for (int i = 0; i < 8; i++)
        ((char *)&p)[i] = 0;
#elif defined AGAIN
    *(int *)&p = 4;
    p = &numbers[1];
#else
    *(int *)&p = 4;
#endif
    int *q = p;
#if defined ALL
    assert(!q);
#else
    assert(*q == 8);
#endif
    return 0;
}
