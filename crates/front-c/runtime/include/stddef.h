/* Common definitions. Used where the system has no header of its own. */
#ifndef FENCEPOST_STDDEF_H
#define FENCEPOST_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
