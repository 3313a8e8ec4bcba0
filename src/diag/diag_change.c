/*
 * diag_change.c - prints the fix-its of a report as the lines that they would make
 *
 *     6 |     output = softmax( input, axes = [2] );
 *       |                                      ~
 *
 * Inserted text is marked by + and replaced text by ~.  Where text or whole lines are deleted, the
 * lines before and after the change are shown, behind - and +.
 */
#include "base/arena.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 8, MOST_CHANGES = 32 };

struct line_change {
    const struct diag_fix *fix;
    struct location begin, end;
};

/* Some lines of the text, and all changes in them. */
struct change_block {
    const struct line_change *change;
    int count;
    const char *before; /* the lines as they are */
    size_t old_size;
    struct text after;           /* the lines with the changes */
    struct excerpt_part *marked; /* the replacement of each change in `after` */
};

static int by_place(const void *left, const void *right)
{
    const struct line_change *a = left, *b = right;

    if (a->fix->at.begin != b->fix->at.begin)
        return a->fix->at.begin < b->fix->at.begin ? -1 : 1;
    return 0;
}

/* Fill in `before`, `after` and `marked`. */
static void rewrite(struct arena *arena, struct change_block *b)
{
    const struct location *first = &b->change[0].begin, *last = &b->change[b->count - 1].end;
    size_t start = first->offset - ((size_t)first->column - 1), at = 0;

    /* `first->text` is the start of a line; lines of one file follow each other in memory. */
    b->before = first->text;
    b->old_size = (size_t)(last->text - first->text) + last->size;
    b->marked = arena_array_of(arena, struct excerpt_part, b->count);
    for (int i = 0; i < b->count; i++) {
        const struct line_change *c = &b->change[i];
        const char *replacement = c->fix->replacement;
        text_add_bytes(&b->after, b->before + at, c->begin.offset - start - at);
        b->marked[i].begin = b->after.size;
        text_add_bytes(&b->after, replacement, strlen(replacement));
        b->marked[i].end = b->after.size;
        at = c->end.offset - start;
    }
    text_add_bytes(&b->after, b->before + at, b->old_size - at);
}

static bool has_line_end(const char *text, size_t size)
{
    return memchr(text, '\n', size) || memchr(text, '\r', size);
}

/* Print the one line of `after`, with marks below it. */
static void print_marked(const struct painter *p, const struct change_block *b)
{
    struct excerpt e = excerpt_new(p->arena, b->marked, b->count, b->after.data, b->after.size);
    struct diag_row row = {0};

    frame_line(p, &row, b->change->begin.line, '|');
    excerpt_add(&e, &row);
    frame_end(p, &row);
    frame_bar(p, &row);
    size_t zero = row.width + 1;
    for (int i = 0; i < b->count; i++) {
        bool added = b->change[i].fix->at.end == b->change[i].fix->at.begin;
        size_t left = excerpt_column(&e, b->marked[i].begin);
        size_t right = excerpt_column(&e, b->marked[i].end);
        row_pad(&row, zero + left);
        row_repeat(&row, PAINT_ADDED, added ? '+' : '~', right > left ? right - left : 1);
    }
    frame_end(p, &row);
}

/* --- before and after ------------------------------------------------------------------------- */

/* A text split at its line ends, which are not part of the lines. */
struct lines {
    struct excerpt_part *line;
    const char *text;
    int count;
};

static struct lines split(struct arena *arena, const char *text, size_t size)
{
    struct lines lines = {.text = text};
    size_t room = 1;

    for (size_t i = 0; i < size; i++)
        room += text[i] == '\n' || text[i] == '\r';
    lines.line = arena_array_of(arena, struct excerpt_part, room);
    for (size_t at = 0; at <= size;) {
        size_t end = at;
        while (end < size && text[end] != '\n' && text[end] != '\r')
            end++;
        lines.line[lines.count++] = (struct excerpt_part){at, end};
        bool pair = end + 1 < size && text[end] == '\r' && text[end + 1] == '\n';
        at = end + 1 + pair;
    }
    return lines;
}

/* Whether line i of `a` and line k of `b` have the same text. */
static bool same_line(const struct lines *a, int i, const struct lines *b, int k)
{
    struct excerpt_part x = a->line[i], y = b->line[k];

    return x.end - x.begin == y.end - y.begin &&
           memcmp(a->text + x.begin, b->text + y.begin, x.end - x.begin) == 0;
}

static void print_lines(const struct painter *p, const struct lines *lines, int number, char bar)
{
    for (int i = 0; i < lines->count && i < MOST_LINES; i++) {
        struct diag_row row = {0};
        struct excerpt_part at = lines->line[i];
        struct excerpt e =
            excerpt_new(p->arena, NULL, 0, lines->text + at.begin, at.end - at.begin);
        frame_line(p, &row, number + i, bar);
        excerpt_add(&e, &row);
        frame_end(p, &row);
    }
    if (lines->count > MOST_LINES)
        frame_gap(p);
}

/* Print the lines that differ, first as they are and then as they would be. */
static void print_both(const struct painter *p, const struct change_block *b)
{
    struct lines before = split(p->arena, b->before, b->old_size);
    struct lines after = split(p->arena, b->after.data, b->after.size);
    int same = 0;

    while (same < before.count && same < after.count && same_line(&before, same, &after, same))
        same++;
    while (before.count > same && after.count > same &&
           same_line(&before, before.count - 1, &after, after.count - 1)) {
        before.count--;
        after.count--;
    }
    before.line += same;
    after.line += same;
    before.count -= same;
    after.count -= same;
    print_lines(p, &before, b->change->begin.line + same, '-');
    print_lines(p, &after, b->change->begin.line + same, '+');
}

void change_print(const struct painter *p, const struct diag_fix *fixes, int count)
{
    struct line_change *change = arena_array_of(p->arena, struct line_change, count);
    int shown = 0, block;

    assert(count > 0);
    for (int i = 0; i < count; i++) {
        struct line_change *c = &change[shown];
        struct span at = fixes[i].at;
        c->fix = &fixes[i];
        shown += at.begin > 0 && at.begin <= at.end &&
                 sources_locate(p->sources, at.begin, &c->begin) &&
                 sources_locate(p->sources, at.end, &c->end) && c->begin.file == c->end.file;
    }
    qsort(change, (size_t)shown, sizeof *change, by_place);
    bool all = shown <= MOST_CHANGES;
    shown = all ? shown : MOST_CHANGES;
    for (int i = 0; i < shown; i += block) {
        /* Changes in the same lines are shown together unless they overlap. */
        for (block = 1; i + block < shown; block++) {
            const struct line_change *next = &change[i + block];
            if (next->begin.file != next[-1].begin.file || next->begin.line > next[-1].end.line ||
                next->begin.offset < next[-1].end.offset)
                break;
        }
        struct change_block b = {.change = &change[i], .count = block};
        rewrite(p->arena, &b);
        /* Marks are enough if one line stays one and each change leaves something to mark. */
        bool plain =
            !has_line_end(b.before, b.old_size) && !has_line_end(b.after.data, b.after.size);
        for (int at = 0; at < b.count; at++)
            plain &= b.marked[at].end > b.marked[at].begin;
        (plain ? print_marked : print_both)(p, &b);
        text_free(&b.after);
    }
    if (!all)
        frame_gap(p);
}
