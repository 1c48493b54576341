/*
 * Texts made from formats. Formats are read character by character, as the program would; what depends on constants only is
 * decided while the program is read. Floating point, addresses and %n are beyond a bound that the verdict names.
 */

/* Where the text goes, how much room it has, and how many characters there were so far, with and without room. What is only printed goes
   nowhere: texts are read, and the rest is not looked at. */
struct __fencepost_text {
    char *to;
    unsigned long room;
    unsigned long count;
    int printed;
};

struct __fencepost_format {
    int left, zero, sign, space, alternate;
    int width, precision;
    int size;
};

void __fencepost_read_text(const char *text, unsigned long most) {
    unsigned long at = 0;
    while (at < most && text[at])
        at++;
}

void __fencepost_read_block(const void *block, unsigned long size) {
    unsigned long at;
    unsigned char last;
    for (at = 0; at < size; at++)
        last = ((const unsigned char *)block)[at];
}

static void __fencepost_put(struct __fencepost_text *text, char c) {
    if (text->count + 1 < text->room) text->to[text->count] = c;
    text->count++;
}

static void __fencepost_pad(struct __fencepost_text *text, char c, int count) {
    int at;
    for (at = 0; at < count; at++)
        __fencepost_put(text, c);
}

static void __fencepost_put_text(struct __fencepost_text *text, struct __fencepost_format *f, const char *from) {
    int length = 0, at;
    if (text->printed) {
        __fencepost_read_text(from, f->precision < 0 ? ~0ul : (unsigned long)f->precision);
        return;
    }
    while ((f->precision < 0 || length < f->precision) && from[length])
        length++;
    if (!f->left) __fencepost_pad(text, ' ', f->width - length);
    for (at = 0; at < length; at++)
        __fencepost_put(text, from[at]);
    if (f->left) __fencepost_pad(text, ' ', f->width - length);
}

static void __fencepost_put_char(struct __fencepost_text *text, struct __fencepost_format *f, char c) {
    if (!f->left) __fencepost_pad(text, ' ', f->width - 1);
    __fencepost_put(text, c);
    if (f->left) __fencepost_pad(text, ' ', f->width - 1);
}

/* `prefix`: what stands before the digits, as the bytes of a number, the last character lowest. */
static void __fencepost_put_number(struct __fencepost_text *text, struct __fencepost_format *f, unsigned long value,
                                   unsigned int base, int capital, unsigned int prefix) {
    char digits[24];
    int count = 0, zeros, before = 0, at;
    unsigned long rest = value;
    while (rest) {
        unsigned int digit = (unsigned int)(rest % base);
        digits[count] = (char)(digit < 10 ? '0' + digit : (capital ? 'A' : 'a') + (digit - 10));
        count++;
        rest /= base;
    }
    zeros = (f->precision < 0 ? 1 : f->precision) - count;
    if (base == 8 && f->alternate && zeros <= 0) zeros = 1;
    if (zeros < 0) zeros = 0;
    if (prefix) before = prefix > 255 ? 2 : 1;
    if (f->zero && !f->left && f->precision < 0 && f->width > zeros + count + before) zeros = f->width - count - before;
    if (!f->left) __fencepost_pad(text, ' ', f->width - zeros - count - before);
    if (before == 2) __fencepost_put(text, (char)(prefix >> 8));
    if (before) __fencepost_put(text, (char)(prefix & 255));
    __fencepost_pad(text, '0', zeros);
    for (at = count; at > 0; at--)
        __fencepost_put(text, digits[at - 1]);
    if (f->left) __fencepost_pad(text, ' ', f->width - zeros - count - before);
}

static long __fencepost_narrow(long value, int size) {
    if (size == 1) return (signed char)value;
    if (size == 2) return (short)value;
    if (size == 4) return (int)value;
    return value;
}

static unsigned long __fencepost_narrow_unsigned(unsigned long value, int size) {
    if (size == 1) return (unsigned char)value;
    if (size == 2) return (unsigned short)value;
    if (size == 4) return (unsigned int)value;
    return value;
}

/* One conversion with its argument, which is a word here whatever its type. */
static void __fencepost_convert(struct __fencepost_text *text, struct __fencepost_format *f, char conversion,
                                unsigned long argument) {
    if (text->printed) {
        __fencepost_limit(conversion != 'n' && conversion != '$', "a format with %n or with numbered arguments");
    } else if (conversion == 'd' || conversion == 'i') {
        long value = __fencepost_narrow((long)argument, f->size);
        unsigned int prefix = value < 0 ? '-' : f->sign ? '+' : f->space ? ' ' : 0;
        __fencepost_put_number(text, f, value < 0 ? 0ul - (unsigned long)value : (unsigned long)value, 10, 0, prefix);
    } else if (conversion == 'u') {
        __fencepost_put_number(text, f, __fencepost_narrow_unsigned(argument, f->size), 10, 0, 0);
    } else if (conversion == 'o') {
        __fencepost_put_number(text, f, __fencepost_narrow_unsigned(argument, f->size), 8, 0, 0);
    } else if (conversion == 'x' || conversion == 'X') {
        unsigned long value = __fencepost_narrow_unsigned(argument, f->size);
        unsigned int prefix = f->alternate && value ? ('0' << 8 | conversion) : 0;
        __fencepost_put_number(text, f, value, 16, conversion == 'X', prefix);
    } else if (conversion == 'c') {
        __fencepost_put_char(text, f, (char)argument);
    } else {
        __fencepost_limit(0, "a format with other conversions than d, i, u, o, x, c and s");
    }
}

static const char *__fencepost_flags(const char *at, struct __fencepost_format *f) {
    f->left = f->zero = f->sign = f->space = f->alternate = 0;
    for (;; at++) {
        if (*at == '-')
            f->left = 1;
        else if (*at == '0')
            f->zero = 1;
        else if (*at == '+')
            f->sign = 1;
        else if (*at == ' ')
            f->space = 1;
        else if (*at == '#')
            f->alternate = 1;
        else
            return at;
    }
}

static const char *__fencepost_sized(const char *at, struct __fencepost_format *f) {
    f->size = 4;
    if (*at == 'l' || *at == 'z' || *at == 'j' || *at == 't') {
        f->size = at[0] == 'l' && at[1] != 'l' ? (int)sizeof(long) : 8;
        return at + (at[0] == 'l' && at[1] == 'l' ? 2 : 1);
    }
    if (*at == 'h') {
        f->size = at[1] == 'h' ? 1 : 2;
        return at + (at[1] == 'h' ? 2 : 1);
    }
    return at;
}

static void __fencepost_write(struct __fencepost_text *text, const char *format, __builtin_va_list arguments) {
    struct __fencepost_format f;
    const char *at = format;
    for (; *at; at++) {
        if (*at != '%') {
            __fencepost_put(text, *at);
            continue;
        }
        at = __fencepost_flags(at + 1, &f);
        f.width = 0;
        f.precision = -1;
        if (*at == '*') {
            f.width = __builtin_va_arg(arguments, int);
            if (f.width < 0) {
                f.left = 1;
                f.width = -f.width;
            }
            at++;
        } else {
            for (; *at >= '0' && *at <= '9'; at++)
                f.width = 10 * f.width + (*at - '0');
        }
        if (*at == '.') {
            at++;
            f.precision = 0;
            if (*at == '*') {
                f.precision = __builtin_va_arg(arguments, int);
                at++;
            } else {
                for (; *at >= '0' && *at <= '9'; at++)
                    f.precision = 10 * f.precision + (*at - '0');
            }
        }
        at = __fencepost_sized(at, &f);
        if (*at == '%')
            __fencepost_put(text, '%');
        else if (*at == 's')
            __fencepost_put_text(text, &f, __builtin_va_arg(arguments, const char *));
        else
            __fencepost_convert(text, &f, *at, __builtin_va_arg(arguments, unsigned long));
    }
}

/* What is printed by a format that is not written at the call. */
void __fencepost_prints(const char *format, __builtin_va_list arguments) {
    struct __fencepost_text text;
    text.to = 0;
    text.room = 0;
    text.count = 0;
    text.printed = 1;
    __fencepost_write(&text, format, arguments);
}

int vsnprintf(char *to, unsigned long room, const char *format, __builtin_va_list arguments) {
    struct __fencepost_text text;
    text.to = to;
    text.room = room;
    text.count = 0;
    text.printed = 0;
    __fencepost_write(&text, format, arguments);
    if (room) to[text.count < room ? text.count : room - 1] = 0;
    return (int)text.count;
}

int vsprintf(char *to, const char *format, __builtin_va_list arguments) {
    return vsnprintf(to, ~0ul, format, arguments);
}

int snprintf(char *to, unsigned long room, const char *format, ...) {
    __builtin_va_list arguments;
    int count;
    __builtin_va_start(arguments, format);
    count = vsnprintf(to, room, format, arguments);
    __builtin_va_end(arguments);
    return count;
}

int sprintf(char *to, const char *format, ...) {
    __builtin_va_list arguments;
    int count;
    __builtin_va_start(arguments, format);
    count = vsnprintf(to, ~0ul, format, arguments);
    __builtin_va_end(arguments);
    return count;
}
