/*
 * unified.c - the difference of two texts in the unified format, which patch(1) reads
 *
 * Lines are compared in order. Where they differ, a window behind them is searched for the nearest
 * pair of equal lines. The difference need not be the shortest one, but takes linear time.
 */
#include "driver/fix.h"
#include "driver/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, WINDOW = 32 };

/* A text and the offsets of its lines, with the size of the text behind the last one. */
struct text_lines {
    const char *text;
    size_t *line;
    size_t count;
};

/* Lines of one side in place of lines of the other. */
struct change {
    size_t a, a_end, b, b_end;
};

struct diff_hunk {
    FILE *to;
    struct text_lines a, b;
    struct change *change;
    size_t count, room;
};

/* --- lines ------------------------------------------------------------------------------- */

/* Find the lines; the last one may lack a line end. */
static struct text_lines split(const char *text, size_t size)
{
    size_t count = 1;

    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    struct text_lines side = {.text = text, .line = zeroed_items(count + 1, sizeof(size_t))};
    for (size_t i = 0; i < size; i++)
        if (i == 0 || text[i - 1] == '\n')
            side.line[side.count++] = i;
    side.line[side.count] = size;
    return side;
}

/* The size of a line with its line end. */
static size_t size_of(const struct text_lines *side, size_t i)
{
    assert(i < side->count && side->line[i] < side->line[i + 1]);
    return side->line[i + 1] - side->line[i];
}

/* Is line i of the first text the same as line k of the second? */
static bool is_same(const struct diff_hunk *d, size_t i, size_t k)
{
    return size_of(&d->a, i) == size_of(&d->b, k) &&
           memcmp(d->a.text + d->a.line[i], d->b.text + d->b.line[k], size_of(&d->a, i)) == 0;
}

/* --- changes ----------------------------------------------------------------------------- */

/* Behind the lines of the change, do both texts have the same line, or both end? */
static bool goes_on(const struct diff_hunk *d, const struct change *c)
{
    if (c->a_end > d->a.count || c->b_end > d->b.count)
        return false;
    if (c->a_end == d->a.count || c->b_end == d->b.count)
        return c->a_end == d->a.count && c->b_end == d->b.count;
    return is_same(d, c->a_end, c->b_end);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The change with the fewest lines, about as many on both sides; all of the window if none fits. */
static struct change change_at(const struct diff_hunk *d, size_t a, size_t b)
{
    assert(a <= d->a.count && b <= d->b.count);
    for (size_t lines = 1; lines <= WINDOW; lines++)
        for (size_t apart = lines % 2; apart <= lines; apart += 2) {
            size_t more = (lines + apart) / 2, fewer = (lines - apart) / 2;
            struct change removed = {a, a + more, b, b + fewer};
            struct change added = {a, a + fewer, b, b + more};
            if (goes_on(d, &removed))
                return removed;
            if (goes_on(d, &added))
                return added;
        }
    return (struct change){a, least(a + WINDOW, d->a.count), b, least(b + WINDOW, d->b.count)};
}

/* List the changes from the first line to the last. */
static void find_changes(struct diff_hunk *d)
{
    for (size_t a = 0, b = 0; a < d->a.count || b < d->b.count;) {
        if (a < d->a.count && b < d->b.count && is_same(d, a, b)) {
            a++;
            b++;
            continue;
        }
        struct change change = change_at(d, a, b);
        struct change *last = d->count > 0 ? &d->change[d->count - 1] : NULL;
        a = change.a_end;
        b = change.b_end;
        if (last && last->a_end == change.a && last->b_end == change.b) {
            /* No line is between them: they are one change. */
            last->a_end = change.a_end;
            last->b_end = change.b_end;
            continue;
        }
        if (!d->change || d->count == d->room) {
            d->room = 2 * d->room + 8;
            d->change = resize_items(d->change, d->room, sizeof *d->change);
        }
        d->change[d->count++] = change;
    }
}

/* --- printing ---------------------------------------------------------------------------- */

/* Print lines, each with its mark; a last line without an end gets the note of diff(1). */
static void print_lines(const struct diff_hunk *d, char mark, size_t begin, size_t end)
{
    const struct text_lines *side = mark == '+' ? &d->b : &d->a;

    for (size_t i = begin; i < end; i++) {
        size_t size = size_of(side, i);
        fputc(mark, d->to);
        fwrite(side->text + side->line[i], 1, size, d->to);
        if (side->text[side->line[i + 1] - 1] != '\n')
            fputs("\n\\ No newline at end of file\n", d->to);
    }
}

/* Print "-12,7".  A range without lines has the number of the line before it. */
static void print_range(FILE *to, char mark, size_t begin, size_t end)
{
    fprintf(to, "%c%zu", mark, end > begin ? begin + 1 : begin);
    if (end - begin != 1)
        fprintf(to, ",%zu", end - begin);
}

/*
 * Print changes, beginning with the first one, whose contexts touch, and the context around them,
 * which ends where the text does.  Returns the change behind them.
 */
static const struct change *print_hunk(const struct diff_hunk *d, const struct change *first)
{
    const struct change *last = first, *end = d->change + d->count;

    assert(first < end);
    while (last + 1 < end && last[1].a - last->a_end <= 2UL * CONTEXT)
        last++;
    size_t before = least(CONTEXT, first->a);
    size_t after = least(CONTEXT, d->a.count - last->a_end);
    size_t at = first->a - before;

    fputs("@@ ", d->to);
    print_range(d->to, '-', at, last->a_end + after);
    fputc(' ', d->to);
    print_range(d->to, '+', first->b - before, last->b_end + after);
    fputs(" @@\n", d->to);
    for (const struct change *c = first; c <= last; c++) {
        print_lines(d, ' ', at, c->a);
        print_lines(d, '-', c->a, c->a_end);
        print_lines(d, '+', c->b, c->b_end);
        at = c->a_end;
    }
    print_lines(d, ' ', at, at + after);
    return last + 1;
}

/* A name with blanks ends with a tab.  Control characters and quotes are escaped, as git does. */
static void print_name(FILE *to, const char *head, const char *path)
{
    bool quoted = false;

    for (const char *c = path; *c; c++)
        quoted |= (unsigned char)*c < ' ' || *c == '"' || *c == '\\';
    fprintf(to, "%s %s", head, quoted ? "\"" : "");
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ')
            fprintf(to, "\\%03o", (unsigned)(unsigned char)*c);
        else
            fprintf(to, "%s%c", quoted && (*c == '"' || *c == '\\') ? "\\" : "", *c);
    fprintf(to, "%s%s\n", quoted ? "\"" : "", strchr(path, ' ') && !quoted ? "\t" : "");
}

void unified_print(FILE *to, const struct mended *texts)
{
    const char *name = strcmp(texts->path, "-") == 0 ? "<stdin>" : texts->path;
    struct diff_hunk d = {.to = to,
                          .a = split(texts->before, texts->before_size),
                          .b = split(texts->after, texts->after_size)};

    find_changes(&d);
    if (d.count > 0) {
        print_name(to, "---", name);
        print_name(to, "+++", name);
        for (const struct change *c = d.change; c < d.change + d.count;)
            c = print_hunk(&d, c);
    }
    free(d.a.line);
    free(d.b.line);
    free(d.change);
}
