/* escape.c - names of models and files may have any bytes, but terminals obey some of them */
#include "driver/memory.h"
#include "driver/record.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character of UTF-8 (RFC 3629) at the text; 0 if there is none. */
static size_t character_size(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t size = *c < 0x80 ? 1 : *c >= 0xF0 ? 4 : *c >= 0xE0 ? 3 : 2;

    if ((*c >= 0x80 && *c < 0xC2) || *c > 0xF4 || (*c == 0xE0 && c[1] < 0xA0) ||
        (*c == 0xED && c[1] > 0x9F) || (*c == 0xF0 && c[1] < 0x90) || (*c == 0xF4 && c[1] > 0x8F))
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    return size;
}

/* Does the character control a terminal, or change the direction of writing? */
static bool is_control(const char *text, size_t size)
{
    const unsigned char *c = (const unsigned char *)text;

    if (size == 1)
        return *c < ' ' || *c == 0x7F;
    if (size == 2)
        return (*c == 0xC2 && c[1] < 0xA0) || (*c == 0xD8 && c[1] == 0x9C);
    return size == 3 && *c == 0xE2 &&
           ((c[1] == 0x80 && (c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xA8 && c[2] <= 0xAE))) ||
            (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9));
}

char *text_escaped(const char *text, const char *kept)
{
    char *escaped = zeroed_items(4 * strlen(text) + 1, 1), *to = escaped;

    while (*text) {
        size_t size = character_size(text), bytes = size ? size : 1;
        bool control = size && kept && is_control(text, size);
        if (size && (!control || (size == 1 && strchr(kept, *text)))) {
            memcpy(to, text, size);
            to += size;
            text += size;
            continue;
        }
        for (; bytes > 0; bytes--)
            to += sprintf(to, "\\x%02X", (unsigned)(unsigned char)*text++);
    }
    return escaped;
}

/* Control characters become codes, which shells read back. */
static void print_quoted(FILE *to, const char *word)
{
    bool codes = false;

    for (const char *c = word; *c; c++)
        codes |= is_control(c, character_size(c));
    fputs(codes ? " $'" : " '", to);
    for (size_t size; *word; word += size) {
        size = character_size(word);
        size = size ? size : 1;
        const bool control = is_control(word, size);
        for (size_t i = 0; i < size; i++)
            if (codes && (word[i] == '\\' || word[i] == '\'' || control))
                fprintf(to, "\\%03o", (unsigned)(unsigned char)word[i]);
            else
                fputs(word[i] == '\'' ? "'\\''" : (const char[]){word[i], '\0'}, to);
    }
    putc('\'', to);
}

void print_word(FILE *to, const char *fmt, ...)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "@%+=:,./_-";
    va_list args;

    va_start(args, fmt);
    const int size = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *word = zeroed_items((size_t)size + 1, 1);
    va_start(args, fmt);
    vsnprintf(word, (size_t)size + 1, fmt, args);
    va_end(args);
    if (*word && word[strspn(word, plain)] == '\0')
        fprintf(to, " %s", word);
    else
        print_quoted(to, word);
    free(word);
}
