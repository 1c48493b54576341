/* Runs a sequential program for all choices that it can make, and tells whether one of them leads to reach_error().
 *
 * It is linked with the program, whose main is called `program` for that. A run is repeated from the beginning with the next
 * row of choices, after everything that the program has in memory was put back. Exit codes: 10 if reach_error() was called, 0 if
 * it never is, 5 if there are too many runs.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096

int program(void);

/* Where the memory of the program begins and ends: the linker knows. */
extern char __data_start[], _end[];

/* The search itself is not in that memory. */
struct search {
    jmp_buf back;
    /* How many choices the run has made, and how many are decided. */
    size_t used, decided;
    unsigned char choice[LONGEST];
    /* The first choices are values that variables begin with. */
    size_t values;
    unsigned char choices;
    unsigned long runs, limit;
    size_t size;
    char image[];
};

static struct search *search;

static unsigned char most(size_t at) { return at < search->values ? 1 : search->choices - 1; }

unsigned long __VERIFIER_nondet_ulong(void)
{
    if (search->used == LONGEST)
        longjmp(search->back, 3);
    if (search->used == search->decided)
        search->choice[search->decided++] = 0;
    return search->choice[search->used++];
}

void __VERIFIER_assume(int condition)
{
    if (!condition)
        longjmp(search->back, 1);
}

void reach_error(void) { longjmp(search->back, 2); }

/* Takes the next choice where there is one; nothing is left to try if there is none. */
static int next(void)
{
    while (search->used > 0 && search->choice[search->used - 1] == most(search->used - 1))
        search->used--;
    if (search->used == 0)
        return 0;
    search->choice[search->used - 1]++;
    search->decided = search->used;
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 1;
    const size_t size = (size_t)(_end - __data_start);
    search = calloc(1, sizeof *search + size);
    if (!search)
        return 1;
    search->values = strtoul(argv[1], NULL, 10);
    search->choices = (unsigned char)strtoul(argv[2], NULL, 10);
    search->limit = strtoul(argv[3], NULL, 10);
    search->size = size;
    memcpy(search->image, __data_start, size);
    do {
        memcpy(__data_start, search->image, search->size);
        search->used = 0;
        const int how = setjmp(search->back);
        if (how == 0)
            program();
        if (how >= 2) {
            printf("%lu runs\n", search->runs);
            return how == 2 ? 10 : 5;
        }
        if (++search->runs == search->limit)
            return 5;
    } while (next());
    printf("%lu runs\n", search->runs);
    return 0;
}
