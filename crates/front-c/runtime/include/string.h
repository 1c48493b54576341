/* Blocks of memory. Used where the system has no header of its own. */
#ifndef FENCEPOST_STRING_H
#define FENCEPOST_STRING_H
#include <stddef.h>

void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
char *strerror(int);

#endif
