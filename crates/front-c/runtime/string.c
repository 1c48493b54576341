/*
 * Functions on texts, character by character. Their accesses are plain ones, as the program's own would be; their
 * loops count like its own.
 */

void *malloc(unsigned long);

unsigned long strlen(const char *text) {
    unsigned long length = 0;
    while (text[length])
        length++;
    return length;
}

unsigned long strnlen(const char *text, unsigned long most) {
    unsigned long length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

/* The result of a comparison of what is not equal: only its sign counts. One of the numbers survives no conversion to a character. */
static int __fencepost_sign(int less) {
    int number = __fencepost_choice() ? 1 : 256;
    return less ? -number : number;
}

int strcmp(const char *one, const char *other) {
    unsigned long at = 0;
    for (;;) {
        unsigned char a = one[at];
        unsigned char b = other[at];
        if (a != b)
            return __fencepost_sign(a < b);
        if (!a)
            return 0;
        at++;
    }
}

int strncmp(const char *one, const char *other, unsigned long most) {
    unsigned long at;
    for (at = 0; at < most; at++) {
        unsigned char a = one[at];
        unsigned char b = other[at];
        if (a != b)
            return __fencepost_sign(a < b);
        if (!a)
            return 0;
    }
    return 0;
}

char *strcpy(char *to, const char *from) {
    unsigned long at = 0;
    char c;
    do {
        c = from[at];
        to[at] = c;
        at++;
    } while (c);
    return to;
}

char *strncpy(char *to, const char *from, unsigned long most) {
    unsigned long at;
    char c = 1;
    for (at = 0; at < most; at++) {
        if (c)
            c = from[at];
        to[at] = c;
    }
    return to;
}

char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strchr(const char *text, int wanted) {
    unsigned long at = 0;
    for (;;) {
        char c = text[at];
        if (c == (char)wanted)
            return (char *)text + at;
        if (!c)
            return 0;
        at++;
    }
}

char *strrchr(const char *text, int wanted) {
    unsigned long at = 0;
    char *last = 0;
    for (;;) {
        char c = text[at];
        if (c == (char)wanted)
            last = (char *)text + at;
        if (!c)
            return last;
        at++;
    }
}

char *strstr(const char *text, const char *part) {
    unsigned long at, inner;
    for (at = 0;; at++) {
        for (inner = 0; part[inner] && text[at + inner] == part[inner]; inner++)
            ;
        if (!part[inner])
            return (char *)text + at;
        if (!text[at])
            return 0;
    }
}

unsigned long strspn(const char *text, const char *set) {
    unsigned long at = 0;
    while (text[at] && strchr(set, text[at]))
        at++;
    return at;
}

unsigned long strcspn(const char *text, const char *set) {
    unsigned long at = 0;
    while (text[at] && !strchr(set, text[at]))
        at++;
    return at;
}

char *strpbrk(const char *text, const char *set) {
    const char *at = text + strcspn(text, set);
    return *at ? (char *)at : 0;
}

char *strtok_r(char *text, const char *set, char **rest) {
    char *end;
    if (!text)
        text = *rest;
    text += strspn(text, set);
    end = text + strcspn(text, set);
    *rest = *end ? end + 1 : end;
    if (!*text)
        return 0;
    *end = 0;
    return text;
}

/* One for all threads, which is why there is the other one. */
static char *__fencepost_tokens;

char *strtok(char *text, const char *set) { return strtok_r(text, set, &__fencepost_tokens); }

char *strncat(char *to, const char *from, unsigned long most) {
    unsigned long end = strlen(to);
    unsigned long at;
    for (at = 0; at < most && from[at]; at++)
        to[end + at] = from[at];
    to[end + at] = 0;
    return to;
}

char *strndup(const char *text, unsigned long most) {
    unsigned long length = strnlen(text, most);
    unsigned long at;
    char *made = malloc(length + 1);
    for (at = 0; at < length; at++)
        made[at] = text[at];
    made[length] = 0;
    return made;
}

/* What the text says is open in C. */
char *strerror(int number) { return "an error"; }

char *strdup(const char *text) { return strndup(text, ~0ul); }

void *memchr(const void *block, int wanted, unsigned long size) {
    unsigned long at;
    for (at = 0; at < size; at++)
        if (((const unsigned char *)block)[at] == (unsigned char)wanted)
            return (char *)block + at;
    return 0;
}

/* Blocks whose size is not known before the program runs. Those of memcpy must not overlap. Words are copied as words, so that
   pointers among them stay pointers. */
void *__fencepost_copy(void *to, const void *from, unsigned long size) {
    unsigned long at = 0;
    if (size % 8 == 0) {
        for (; at < size; at += 8)
            *(unsigned long *)((char *)to + at) = *(const unsigned long *)((const char *)from + at);
    }
    for (; at < size; at++)
        ((unsigned char *)to)[at] = ((const unsigned char *)from)[at];
    __fencepost_apart(to, from, size);
    return to;
}

/* Those of memmove may: all is read before anything is written. */
void *__fencepost_move(void *to, const void *from, unsigned long size) {
    unsigned char *copy = __fencepost_block(size);
    unsigned long at;
    for (at = 0; at < size; at++)
        copy[at] = ((const unsigned char *)from)[at];
    for (at = 0; at < size; at++)
        ((unsigned char *)to)[at] = copy[at];
    return to;
}

void *__fencepost_fill(void *to, int byte, unsigned long size) {
    unsigned long at;
    for (at = 0; at < size; at++)
        ((unsigned char *)to)[at] = (unsigned char)byte;
    return to;
}

int __fencepost_compare(const void *one, const void *other, unsigned long size) {
    unsigned long at;
    for (at = 0; at < size; at++) {
        unsigned char a = ((const unsigned char *)one)[at];
        unsigned char b = ((const unsigned char *)other)[at];
        if (a != b)
            return __fencepost_sign(a < b);
    }
    return 0;
}
