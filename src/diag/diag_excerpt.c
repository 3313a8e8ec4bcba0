/*
 * diag_excerpt.c - chooses what to show of a line of source text: all, or what surrounds its marks
 *
 * Tabs become spaces and characters that must not reach a terminal become '?', so that a line of
 * marks below it fits everywhere.
 */
#include "base/arena.h"
#include "base/text.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <stdlib.h>

enum { TAB = 8, LONGEST = 120, AROUND = 40, WORTH_CUTTING = 12 };

static const char cut[] = "...";
enum { CUT = sizeof cut - 1 };

/* Whether the byte at `at` continues a UTF-8 character. */
static bool inside_character(const char *text, size_t at)
{
    return ((unsigned char)text[at] & 0xC0) == 0x80;
}

/* Up to AROUND bytes on both sides of `at`, without cutting a character. */
static struct excerpt_part around(const char *text, size_t size, size_t at)
{
    struct excerpt_part s = {at > AROUND ? at - AROUND : 0,
                             size - at > AROUND ? at + AROUND : size};

    while (s.begin > 0 && s.begin < at && inside_character(text, s.begin))
        s.begin++;
    while (s.end < size && s.end > at && inside_character(text, s.end))
        s.end--;
    return s;
}

static int by_begin(const void *left, const void *right)
{
    const struct excerpt_part *a = left, *b = right;

    return (a->begin > b->begin) - (a->begin < b->begin);
}

/*
 * --- characters and gaps, one after the other ---
 *
 * A walk starts as {.e = e}.  Each call of walk() goes to the next character or gap.
 */

struct excerpt_walk {
    const struct excerpt *e;
    int next;             /* index of the part of e->kept that we are in, or that comes next */
    size_t at, bytes;     /* the bytes of the line that are shown now */
    size_t column, width; /* where they are shown, and how many columns they take */
    bool gap, tab;
};

static void enter_gap(struct excerpt_walk *w, size_t end)
{
    w->gap = true;
    w->bytes = end - w->at;
    w->width = CUT;
}

/* False behind the last. */
static bool walk(struct excerpt_walk *w)
{
    const struct excerpt *e = w->e;

    w->at += w->bytes;
    w->column += w->width;
    w->bytes = w->width = 0;
    w->gap = w->tab = false;
    while (w->next < e->count && w->at >= e->kept[w->next].end)
        w->next++;
    if (w->at >= e->size)
        return false;
    if (w->next == e->count)
        enter_gap(w, e->size);
    else if (w->at < e->kept[w->next].begin)
        enter_gap(w, e->kept[w->next].begin);
    else {
        uint32_t c;
        const struct excerpt_part *kept = &w->e->kept[w->next];
        w->tab = w->e->text[w->at] == '\t';
        w->bytes = utf8_decode(w->e->text + w->at, kept->end - w->at, &c);
        int columns = utf8_width(c);
        w->width = columns < 0 ? 1 : (size_t)columns;
        if (w->tab)
            w->width = TAB - w->column % TAB;
    }
    return true;
}

struct excerpt excerpt_new(struct arena *arena, const struct excerpt_part *marked, int count,
                           const char *text, size_t size)
{
    struct excerpt_part *kept = arena_array_of(arena, struct excerpt_part, 2 * count + 1);
    struct excerpt e = {text, size, kept, 1};

    assert(count >= 0 && (text || size == 0));
    kept[0] = (struct excerpt_part){0, size};
    struct excerpt_walk w = {.e = &e};
    while (walk(&w) && w.column + w.width <= LONGEST)
        ;
    if (w.column + w.width <= LONGEST)
        return e;
    e.count = 0;
    if (count == 0)
        kept[e.count++] = around(text, size, AROUND);
    for (int i = 0; i < count; i++) {
        kept[e.count++] = around(text, size, marked[i].begin);
        kept[e.count++] = around(text, size, marked[i].end);
    }
    /* Join parts if the gap between them saves little. */
    int last = 0;
    qsort(kept, (size_t)e.count, sizeof *kept, by_begin);
    for (int i = 1; i < e.count; i++) {
        if (kept[i].begin > kept[last].end + WORTH_CUTTING)
            kept[++last] = kept[i];
        else if (kept[i].end > kept[last].end)
            kept[last].end = kept[i].end;
    }
    if (kept[0].begin <= WORTH_CUTTING)
        kept[0].begin = 0;
    if (size - kept[last].end <= WORTH_CUTTING)
        kept[last].end = size;
    e.count = last + 1;
    return e;
}

size_t excerpt_column(const struct excerpt *e, size_t byte)
{
    struct excerpt_walk w = {.e = e};

    while (walk(&w) && w.at + w.bytes <= byte)
        ;
    return w.column;
}

void excerpt_add(const struct excerpt *e, struct diag_row *row)
{
    struct excerpt_walk w = {.e = e};

    while (walk(&w)) {
        if (w.gap)
            row_add(row, PAINT_FRAME, cut, CUT);
        else if (w.tab)
            row_repeat(row, PAINT_PLAIN, ' ', w.width);
        else
            row_add(row, PAINT_PLAIN, e->text + w.at, w.bytes);
    }
}
