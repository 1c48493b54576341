/* Memory, the end of the program, small things. Used where the system has no header of its own. */
#ifndef FENCEPOST_STDLIB_H
#define FENCEPOST_STDLIB_H
#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647

void *malloc(size_t);
void *calloc(size_t, size_t);
void *aligned_alloc(size_t, size_t);
void free(void *);
_Noreturn void abort(void);
_Noreturn void exit(int);
_Noreturn void _Exit(int);
int rand(void);
void srand(unsigned int);
int abs(int);
long labs(long);

#endif
