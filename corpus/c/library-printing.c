/* Who prints a text reads it: it must not be freed, null or without an end.
 * @expect sc: UNSAFE
 * @expect -DPUTS sc: UNSAFE
 * @expect -DNOTHING sc: UNSAFE
 * @expect -DENDLESS sc: UNSAFE
 * @expect -DWRITE sc: UNSAFE
 * @expect -DWRAPPED sc: UNSAFE
 * @expect -DFORMAT sc: UNSAFE
 * @expect -DWELL sc: SAFE; tso: SAFE
 * @expect -DRACE --property race sc: UNSAFE
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char shared[4] = "ab";

static void log_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

static void *writer(void *arg)
{
    shared[0] = 'x';
    return arg;
}

int main(void)
{
    char *text = strdup("a");
    char block[2] = "ab";
#if defined PUTS
    free(text);
    puts(text);
#elif defined NOTHING
    puts(NULL);
#elif defined ENDLESS
    fputs(block, stdout);
#elif defined WRITE
    write(1, block, 3);
#elif defined WRAPPED
    free(text);
    log_line("%d %s\n", 1, text);
#elif defined FORMAT
    free(text);
    printf(text);
#elif defined WELL
    printf("%d %.2s %.*s %s %%", 1, block, 2, block, text);
    log_line("%d %5.2s %.*s %f %s\n", 1, block, 2, block, 1.5, text);
    puts(text);
    write(1, block, 2);
    write(1, "ab", 2);
    free(text);
#elif defined RACE
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    printf("%s", shared);
    pthread_join(thread, NULL);
#else
    free(text);
    printf("%d %s", 1, text);
#endif
    return 0;
}
