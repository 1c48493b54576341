/*
 * Numbers in texts, sorting and searching, the environment. Their loops count like the program's own.
 */

static int __fencepost_digit(char c, int base) {
    int digit = 99;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') digit = c - 'A' + 10;
    if (digit < base) return digit;
    return -1;
}

/* What is behind white space, a sign and a prefix: the number as it would be without an end of numbers, and whether it has
   gone beyond that. */
static const char *__fencepost_magnitude(const char *text, int base, int *negative, unsigned long *value, int *beyond) {
    const char *at = text;
    const char *end = text;
    int digit;
    *negative = 0;
    *value = 0;
    *beyond = 0;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        at++;
    if (*at == '-' || *at == '+') {
        *negative = *at == '-';
        at++;
    }
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        __fencepost_digit(at[2], 16) >= 0) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    while ((digit = __fencepost_digit(*at, base)) >= 0) {
        unsigned long next = *value * (unsigned long)base + (unsigned long)digit;
        if (*value > (~0ul - (unsigned long)digit) / (unsigned long)base) *beyond = 1;
        *value = next;
        at++;
        end = at;
    }
    return end;
}

/* ERANGE is 34. */
long strtol(const char *text, char **rest, int base) {
    int negative, beyond;
    unsigned long value;
    unsigned long most = ~0ul >> 1;
    const char *end = __fencepost_magnitude(text, base, &negative, &value, &beyond);
    if (rest) *rest = (char *)end;
    if (beyond || value > most + (unsigned long)negative) {
        *__errno_location() = 34;
        return (long)(most + (unsigned long)negative);
    }
    return negative ? (long)(0ul - value) : (long)value;
}

unsigned long strtoul(const char *text, char **rest, int base) {
    int negative, beyond;
    unsigned long value;
    const char *end = __fencepost_magnitude(text, base, &negative, &value, &beyond);
    if (rest) *rest = (char *)end;
    if (beyond) {
        *__errno_location() = 34;
        return ~0ul;
    }
    return negative ? 0ul - value : value;
}

long long strtoll(const char *text, char **rest, int base) { return strtol(text, rest, base); }

unsigned long long strtoull(const char *text, char **rest, int base) { return strtoul(text, rest, base); }

int atoi(const char *text) { return (int)strtol(text, (char **)0, 10); }

long atol(const char *text) { return strtol(text, (char **)0, 10); }

long long atoll(const char *text) { return strtol(text, (char **)0, 10); }

static void __fencepost_swap(char *one, char *other, unsigned long size) {
    unsigned long at = 0;
    for (; at + 8 <= size && size % 8 == 0; at += 8) {
        unsigned long old = *(unsigned long *)(one + at);
        *(unsigned long *)(one + at) = *(unsigned long *)(other + at);
        *(unsigned long *)(other + at) = old;
    }
    for (; at + 4 <= size && size % 4 == 0; at += 4) {
        unsigned int old = *(unsigned int *)(one + at);
        *(unsigned int *)(one + at) = *(unsigned int *)(other + at);
        *(unsigned int *)(other + at) = old;
    }
    for (; at < size; at++) {
        char old = one[at];
        one[at] = other[at];
        other[at] = old;
    }
}

/* By insertion. Which of equal elements comes first is open in C: a new one goes anywhere among those that are equal to it. */
void qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *)) {
    unsigned long next, at;
    for (next = 1; next < count; next++)
        for (at = next; at > 0; at--) {
            char *right = (char *)base + at * size;
            char *left = right - size;
            int order = compare(left, right);
            if (order < 0 || order == 0 && __fencepost_choice()) break;
            __fencepost_swap(left, right, size);
        }
}

void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
              int (*compare)(const void *, const void *)) {
    unsigned long low = 0;
    while (low < count) {
        unsigned long middle = low + (count - low) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0) return (void *)element;
        if (order < 0)
            count = middle;
        else
            low = middle + 1;
    }
    return (void *)0;
}

/* Functions that are code in the front end, for those who take their address. */
void __fencepost_value_free(void *block) { free(block); }

void *__fencepost_value_malloc(unsigned long size) { return malloc(size); }

void *__fencepost_value_calloc(unsigned long count, unsigned long size) { return calloc(count, size); }

/* The functions for the end of the program, the last one first. */
static void (*__fencepost_handlers[32])(void);
static unsigned int __fencepost_registered;

int atexit(void (*handler)(void)) {
    __fencepost_limit(__fencepost_registered < 32, "more than 32 functions for the end of the program");
    __fencepost_handlers[__fencepost_registered] = handler;
    __fencepost_registered++;
    return 0;
}

void __fencepost_exits(void) {
    while (__fencepost_registered) {
        __fencepost_registered--;
        __fencepost_handlers[__fencepost_registered]();
    }
}

/* The block always moves: who still uses the old address is wrong. Words are copied as words, so that pointers among them stay
   pointers. */
void *realloc(void *old, unsigned long size) {
    unsigned long at = 0, both;
    char *made;
    if (old && size == 0) {
        free(old);
        return (void *)0;
    }
    made = malloc(size);
    if (!old || !made) return made;
    both = __fencepost_size(old);
    if (size < both) both = size;
    for (; at + 8 <= both; at += 8)
        *(unsigned long *)(made + at) = *(unsigned long *)((char *)old + at);
    for (; at < both; at++)
        made[at] = ((char *)old)[at];
    free(old);
    return made;
}

void *reallocarray(void *old, unsigned long count, unsigned long size) {
    if (size && count > ~0ul / size) return (void *)0;
    return realloc(old, count * size);
}

/* The arguments of the program: any texts, up to a number and a length. */
char **__fencepost_arguments(int count) {
    char **all = __fencepost_block(5 * sizeof(char *));
    int at;
    __fencepost_limit(count <= 4, "more than 3 arguments of the program");
    __fencepost_limit(__fencepost_choice(), "an argument of the program with more than 15 characters");
    for (at = 0; at < 4; at++) {
        char *text = __fencepost_block(16);
        text[15] = 0;
        all[at] = at < count ? text : (char *)0;
    }
    all[4] = (char *)0;
    return all;
}

/* A variable of the environment need not be there; its text can be any up to a length. */
char *getenv(const char *name) {
    char *text;
    if (__fencepost_choice()) return (char *)0;
    text = __fencepost_block(16);
    text[15] = 0;
    __fencepost_limit(__fencepost_choice(), "a variable of the environment with more than 15 characters");
    return text;
}

/* C11, annex K, where a violated constraint is told by the result. EINVAL is 22. Blocks overlap if one begins in the other. */
int memcpy_s(void *to, unsigned long room, const void *from, unsigned long count) {
    unsigned long at;
    int wrong = !to || !from || count > room;
    for (at = 0; !wrong && at < count; at++)
        wrong = (char *)to + at == (const char *)from || (const char *)from + at == (char *)to;
    if (!wrong) {
        __fencepost_copy(to, from, count);
        return 0;
    }
    if (to) __fencepost_fill(to, 0, room);
    return 22;
}
