/* Output, which is not looked at. Used where the system has no header of its own. */
#ifndef FENCEPOST_STDIO_H
#define FENCEPOST_STDIO_H
#include <stddef.h>

typedef struct __fencepost_file FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)

int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int puts(const char *);
int fputs(const char *, FILE *);
int putchar(int);
int fputc(int, FILE *);
int fflush(FILE *);
void perror(const char *);

#endif
