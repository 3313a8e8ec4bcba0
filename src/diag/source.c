/* source.c - keeps texts in one space of offsets, and finds lines in them */
#include "diag/source.h"

#include "base/arena.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct source_text {
    char *name;
    const char *text;
    size_t size;
    uint32_t base;
    uint32_t *line; /* where each line begins, from `base`; NULL until a place is asked for */
    uint32_t line_count;
};

struct sources {
    struct source_text *item;
    int count;
    uint64_t next; /* offset for the next text; 0 stays nowhere */
};

struct sources *sources_new(void)
{
    struct sources *s = heap_array(1, sizeof *s);

    s->next = 1;
    return s;
}

void sources_free(struct sources *sources)
{
    if (!sources)
        return;
    for (int i = 0; i < sources->count; i++) {
        free(sources->item[i].name);
        free(sources->item[i].line);
    }
    free(sources->item);
    free(sources);
}

uint32_t sources_add(struct sources *sources, const char *name, const char *text, size_t size)
{
    assert(text || size == 0);
    if (size >= UINT32_MAX - sources->next)
        return 0;
    sources->item = heap_list(sources->item, sources->count, sizeof *sources->item);
    sources->item[sources->count++] = (struct source_text){.name = text_copy(name, strlen(name)),
                                                           .text = text,
                                                           .size = size,
                                                           .base = (uint32_t)sources->next};
    uint32_t base = (uint32_t)sources->next;
    sources->next += size + 1; /* the end of a text is a place of its own */
    return base;
}

static struct source_text *find(const struct sources *sources, uint32_t offset)
{
    for (int i = 0; i < sources->count; i++) {
        struct source_text *s = &sources->item[i];
        if (offset >= s->base && offset - s->base <= s->size)
            return s;
    }
    return NULL;
}

/* Whether a line begins at `at`; "\r\n" ends one line. */
static bool begins_line(const struct source_text *s, size_t at)
{
    bool pair = at < s->size && s->text[at - 1] == '\r' && s->text[at] == '\n';

    assert(at > 0 && at <= s->size);
    return (s->text[at - 1] == '\n' || s->text[at - 1] == '\r') && !pair;
}

/* Done for the first place that is asked for, because most texts have no faults. */
static void find_lines(struct source_text *s)
{
    uint32_t count = 1;

    for (size_t at = 1; at <= s->size; at++)
        count += begins_line(s, at);
    s->line = heap_array(count, sizeof *s->line);
    s->line[s->line_count++] = 0;
    for (size_t at = 1; at <= s->size; at++)
        if (begins_line(s, at))
            s->line[s->line_count++] = (uint32_t)at;
}

static struct location locate(const struct source_text *s, size_t at)
{
    /* Find the last line that begins at `at` or before. */
    uint32_t low = 0, high = s->line_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->line[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    uint32_t line = low;
    size_t begin = s->line[line];
    size_t end = line + 1 < s->line_count ? s->line[line + 1] - 1 : s->size;
    if (end > begin && line + 1 < s->line_count && s->text[end] == '\n' && s->text[end - 1] == '\r')
        end--;
    return (struct location){.file = s->name,
                             .line = (int)line + 1,
                             .column = (int)(at - begin) + 1,
                             .text = s->text + begin,
                             .size = end - begin,
                             .offset = at};
}

bool sources_locate(const struct sources *sources, uint32_t offset, struct location *where)
{
    struct source_text *s = find(sources, offset);

    if (!s)
        return false;
    if (!s->line)
        find_lines(s);
    *where = locate(s, offset - s->base);
    return true;
}

bool sources_line(const struct sources *sources, uint32_t offset, int line, struct location *where)
{
    struct source_text *s = find(sources, offset);

    if (!s || line < 1)
        return false;
    if (!s->line)
        find_lines(s);
    if ((uint32_t)line > s->line_count)
        return false;
    *where = locate(s, s->line[line - 1]);
    return true;
}

const char *sources_text(const struct sources *sources, struct span span, size_t *size)
{
    const struct source_text *s = find(sources, span.begin);

    *size = 0;
    if (!s || span.end < span.begin || span.end - s->base > s->size)
        return "";
    *size = span.end - span.begin;
    return s->text + (span.begin - s->base);
}

uint32_t sources_find(const struct sources *sources, const char *name)
{
    for (int i = 0; i < sources->count; i++)
        if (strcmp(sources->item[i].name, name) == 0)
            return sources->item[i].base;
    return 0;
}
