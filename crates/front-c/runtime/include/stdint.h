/* Integers of a given width. Used where the system has no header of its own. `long` is as wide as a pointer. */
#ifndef FENCEPOST_STDINT_H
#define FENCEPOST_STDINT_H

typedef signed char int8_t, int_least8_t, int_fast8_t;
typedef short int16_t, int_least16_t;
typedef int int32_t, int_least32_t;
typedef long long int64_t, int_least64_t, int_fast64_t;
typedef unsigned char uint8_t, uint_least8_t, uint_fast8_t;
typedef unsigned short uint16_t, uint_least16_t;
typedef unsigned int uint32_t, uint_least32_t;
typedef unsigned long long uint64_t, uint_least64_t, uint_fast64_t;
typedef long intptr_t, int_fast16_t, int_fast32_t;
typedef unsigned long uintptr_t, uint_fast16_t, uint_fast32_t;
typedef long long intmax_t;
typedef unsigned long long uintmax_t;

#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32767 - 1)
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-9223372036854775807ll - 1)
#define UINT64_MAX 18446744073709551615ull
#define INTPTR_MAX ((intptr_t)((uintptr_t)-1 >> 1))
#define UINTPTR_MAX ((uintptr_t)-1)
#define SIZE_MAX ((unsigned long)-1)

#define INT32_C(c) c
#define UINT32_C(c) c##u
#define INT64_C(c) c##ll
#define UINT64_C(c) c##ull

#endif
