/* source.c - texts side by side in one space of offsets */
#include "base/source.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct source {
    char *name;
    const char *text;
    size_t size;
    uint32_t base;
};

struct sources {
    struct source *item;
    int count;
    uint64_t next; /* offset for the next text; 0 stays nowhere */
};

struct sources *sources_new(void)
{
    struct sources *s = calloc(1, sizeof *s);

    if (!s)
        arena_out_of_memory();
    s->next = 1;
    return s;
}

void sources_free(struct sources *sources)
{
    if (!sources)
        return;
    for (int i = 0; i < sources->count; i++)
        free(sources->item[i].name);
    free(sources->item);
    free(sources);
}

uint32_t sources_add(struct sources *sources, const char *name, const char *text, size_t size)
{
    if (size >= UINT32_MAX - sources->next)
        return 0;
    size_t len = strlen(name) + 1;
    struct source *item =
        realloc(sources->item, ((size_t)sources->count + 1) * sizeof(struct source));
    char *copy = malloc(len);
    if (!item || !copy)
        arena_out_of_memory();
    memcpy(copy, name, len);
    sources->item = item;
    item[sources->count++] = (struct source){copy, text, size, (uint32_t)sources->next};
    uint32_t base = (uint32_t)sources->next;
    sources->next += size + 1; /* the end of a text is a place of its own */
    return base;
}

static const struct source *find(const struct sources *sources, uint32_t offset)
{
    for (int i = 0; i < sources->count; i++) {
        const struct source *s = &sources->item[i];
        if (offset >= s->base && offset - s->base <= s->size)
            return s;
    }
    return NULL;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

bool sources_locate(const struct sources *sources, uint32_t offset, struct location *where)
{
    const struct source *s = find(sources, offset);

    if (!s)
        return false;
    size_t at = offset - s->base, begin = 0;
    int line = 1;
    for (size_t i = 0; i < at; i++) {
        bool pair = s->text[i] == '\r' && i + 1 < s->size && s->text[i + 1] == '\n';
        if (is_line_end(s->text[i]) && !pair) {
            line++;
            begin = i + 1;
        }
    }
    size_t end = begin;
    while (end < s->size && !is_line_end(s->text[end]))
        end++;
    *where = (struct location){.file = s->name,
                               .line = line,
                               .column = (int)(at - begin) + 1,
                               .text = s->text + begin,
                               .size = end - begin,
                               .offset = at};
    return true;
}

const char *sources_text(const struct sources *sources, struct span span, size_t *size)
{
    const struct source *s = find(sources, span.begin);

    *size = 0;
    if (!s || span.end < span.begin || span.end - s->base > s->size)
        return "";
    *size = span.end - span.begin;
    return s->text + (span.begin - s->base);
}
