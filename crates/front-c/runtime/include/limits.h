/* The ranges of the integer types. Used where the system has no header of its own. */
#ifndef FENCEPOST_LIMITS_H
#define FENCEPOST_LIMITS_H
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SHRT_MAX 32767
#define SHRT_MIN (-32767 - 1)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define ULONG_MAX (~0ul)
#define LONG_MAX ((long)(~0ul >> 1))
#define LONG_MIN (-LONG_MAX - 1)
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
#endif
