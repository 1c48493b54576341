/* Assertions. Used where the system has no header of its own. Like the standard's, it may be included again. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif

#ifndef FENCEPOST_ASSERT_H
#define FENCEPOST_ASSERT_H
_Noreturn void __assert_fail(const char *, const char *, unsigned int, const char *);
#define static_assert _Static_assert
#endif
