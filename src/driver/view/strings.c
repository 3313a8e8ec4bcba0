/* strings.c - texts that are written once, and strings of JSON */
#include "driver/view/strings.h"

#include "driver/memory.h"
#include "driver/record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 0x811C9DC5;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x01000193;
    return hash;
}

/* Where the text is, or where it is to be. */
static int *find_slot(const struct strings *strings, const char *text)
{
    uint32_t mask = (uint32_t)strings->slots - 1, at = hash_of(text) & mask;

    while (strings->slot[at] && strcmp(strings->text[strings->slot[at] - 1], text) != 0)
        at = (at + 1) & mask;
    return &strings->slot[at];
}

static void grow(struct strings *strings)
{
    strings->room = strings->room ? 2 * strings->room : 64;
    strings->text = resize_items(strings->text, (size_t)strings->room, sizeof *strings->text);
    free(strings->slot);
    strings->slots = 2 * strings->room;
    strings->slot = zeroed_items((size_t)strings->slots, sizeof *strings->slot);
    for (int i = 0; i < strings->count; i++)
        *find_slot(strings, strings->text[i]) = i + 1;
}

int strings_add(struct strings *strings, const char *text)
{
    if (!text)
        return -1;
    if (strings->count == strings->room)
        grow(strings);
    int *slot = find_slot(strings, text);
    if (!*slot) {
        size_t size = strlen(text) + 1;
        strings->text[strings->count] = memcpy(zeroed_items(size, 1), text, size);
        *slot = ++strings->count;
    }
    return *slot - 1;
}

int strings_find(const struct strings *strings, const char *text)
{
    return strings->count ? *find_slot(strings, text) - 1 : -1;
}

void strings_free(struct strings *strings)
{
    for (int i = 0; i < strings->count; i++)
        free(strings->text[i]);
    free(strings->text);
    free(strings->slot);
}

void json_text(FILE *to, const char *text, const char *kept)
{
    char *escaped = text_escaped(text, kept);

    fputc('"', to);
    for (const char *c = escaped; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", to);
        else if ((unsigned char)*c < ' ' || *c == '<')
            fprintf(to, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fputc(*c, to);
    fputc('"', to);
    free(escaped);
}

char *json_without_markup(const char *json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = must_have(open_memstream(&text, &size));

    for (const char *c = json; *c; c++)
        if (*c == '<')
            fputs("\\u003c", to);
        else
            fputc(*c, to);
    if (fclose(to) != 0)
        end_without_memory();
    return text;
}
