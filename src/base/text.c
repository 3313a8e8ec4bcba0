/* text.c - strings that grow */
#include "base/text.h"

#include "base/arena.h"
#include "base/num.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

/* Room for `more` bytes and the NUL. */
static void reserve(struct text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;

    if (more >= SIZE_MAX / 4 || text->size >= SIZE_MAX / 4)
        arena_out_of_memory();
    while (capacity < text->size + more + 1)
        capacity *= 2;
    if (capacity == text->capacity)
        return;
    char *data = realloc(text->data, capacity);
    if (!data)
        arena_out_of_memory();
    text->data = data;
    text->capacity = capacity;
}

void text_add_bytes(struct text *text, const char *bytes, size_t size)
{
    assert(bytes || size == 0);
    if (text->capacity - text->size <= size)
        reserve(text, size);
    if (size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

/*
 * As vsnprintf(), with numbers as the "C" locale has them: the host may have set one of commas.  C
 * libraries have that locale ready, so that asking for it takes no memory; if it did and there were
 * none, the host's would hold.
 */
PRINTF_LIKE(3, 0)
static int print_plain_v(char *to, size_t room, const char *fmt, va_list args)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    int size = vsnprintf(to, room, fmt, args);

    uselocale(before);
    if (plain)
        freelocale(plain);
    return size;
}

static int print_plain(char *to, size_t room, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int print_plain(char *to, size_t room, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int size = print_plain_v(to, room, fmt, args);
    va_end(args);
    return size;
}

void text_add_v(struct text *text, const char *fmt, va_list args)
{
    va_list again;

    assert(fmt);
    reserve(text, FIRST_CAPACITY);
    size_t room = text->capacity - text->size;
    va_copy(again, args);
    int size = print_plain_v(text->data + text->size, room, fmt, args);
    if (size >= 0 && (size_t)size >= room) {
        reserve(text, (size_t)size);
        print_plain_v(text->data + text->size, (size_t)size + 1, fmt, again);
    }
    va_end(again);
    if (size > 0)
        text->size += (size_t)size;
    text->data[text->size] = '\0';
}

void text_add(struct text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_add_v(text, fmt, args);
    va_end(args);
}

void text_add_scalar(struct text *text, double value)
{
    char number[64];
    double back;

    if (!isfinite(value)) {
        text_add(text, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    /* Any 15 digits survive in a double, except in a subnormal one. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        int size = print_plain(number, sizeof number, "%.*g", digits, value);
        if (num_parse_scalar(number, (size_t)size, &back) && back == value)
            break;
    }
    text_add(text, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
}

void text_add_quoted(struct text *text, const char *string)
{
    char quote = strchr(string, '\'') && !strchr(string, '"') ? '"' : '\'';

    assert(string);
    text_add_bytes(text, &quote, 1);
    for (const char *c = string; *c; c++) {
        if (*c == quote || *c == '\\')
            text_add_bytes(text, "\\", 1);
        text_add_bytes(text, c, 1);
    }
    text_add_bytes(text, &quote, 1);
}

char *text_copy(const char *bytes, size_t size)
{
    struct text copy = {0};

    text_add_bytes(&copy, bytes, size);
    return copy.data;
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_keep(struct text *text, struct arena *arena)
{
    char *kept = arena_strndup(arena, text->data ? text->data : "", text->size);

    text_free(text);
    return kept;
}

char *text_format(struct arena *arena, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = text_format_v(arena, fmt, args);
    va_end(args);
    return text;
}

char *text_format_v(struct arena *arena, const char *fmt, va_list args)
{
    struct text text = {0};

    text_add_v(&text, fmt, args);
    return text_keep(&text, arena);
}

bool text_ends_in(const char *text, const char *suffix)
{
    size_t size = strlen(text), tail = strlen(suffix);

    return size > tail && strcmp(text + size - tail, suffix) == 0;
}
