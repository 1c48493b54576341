/* Arguments after `...`, taken in turn, copied, handed on as a list, and through a pointer to a function; compound literals where
 * variables outside functions begin. One thread. With -DTOO_MANY more are taken than there are.
 * @expect sc: SAFE
 * @expect tso: SAFE
 * @expect pso: SAFE
 * @expect rmo: SAFE
 * @expect alpha: SAFE
 * @expect power-frame: SAFE
 * @expect -DTOO_MANY sc: UNSAFE; tso: UNSAFE; pso: UNSAFE; rmo: UNSAFE; alpha: UNSAFE; power-frame: UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

struct inner { int a, b; };
struct outer { struct inner first, second; int *to; };

int word = 3;
struct outer outer = { .first = (struct inner){ .b = 2 }, .second = (struct inner){ 4, 5 }, .to = &word };
struct inner alone = (struct inner){ 6 };
int numbers[] = (int[]){ 7, 8, 9 };
pthread_mutex_t mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;

static long sum_list(int count, va_list list)
{
    long sum = 0;
    while (count-- > 0)
        sum += va_arg(list, long);
    return sum;
}

static long sum(int count, ...)
{
    va_list list, again;
    va_start(list, count);
    va_copy(again, list);
    long first = count ? va_arg(list, long) : 0;
    long all = sum_list(count, again);
    va_end(again);
    va_end(list);
    return count ? all * 10 + first : 0;
}

static int mixed(const char *kinds, ...)
{
    va_list list;
    int total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'c': total += (signed char)va_arg(list, int); break;
        case 'u': total += va_arg(list, unsigned) == 4000000000u; break;
        case 'p': total += *va_arg(list, int *); break;
        case 'l': total += va_arg(list, long long) == -1; break;
        }
#ifdef TOO_MANY
    total += va_arg(list, int);
#endif
    va_end(list);
    return total;
}

static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

int main(void)
{
    int seven = 7;
    int (*function)(const char *, ...) = mixed;
    assert(sum(3, 1l, 20l, 300l) == 3211);
    assert(mixed("cupl", (char)-5, 4000000000u, &seven, -1ll) == 4);
    assert(function("pp", &seven, &word) == 10);
    say("%d %s\n", 1, "two");
    assert(outer.first.a == 0 && outer.first.b == 2 && outer.second.b == 5 && *outer.to == 3);
    assert(alone.a == 6 && alone.b == 0 && numbers[2] == 9 && sizeof numbers == 12);
    assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    return 0;
}
