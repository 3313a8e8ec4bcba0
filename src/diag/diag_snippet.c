/*
 * diag_snippet.c - prints lines of source text with marks below them
 *
 *      --> net/graph.nnef:6:38
 *       |
 *     5 |     input = external<scalar>(shape = [2, 1, 3]);
 *       |     ----- 'input' has shape [2,1,3]
 *     6 |     output = softmax( input, axes = [3] );
 *       |                                      ^ valid axes are 0 to 2
 *
 * A mark over several lines is shown on its first and on its last.  Labels that do not fit behind
 * the marks hang below them, the rightmost first.
 */
#include "base/arena.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The part of one line that a mark covers. */
struct snippet_segment {
    int file, order; /* numbers of the file and of the mark, by first appearance */
    struct location where;
    size_t begin, end; /* bytes of the line */
    const struct mark *mark;
    bool labelled;      /* the label stands here and not on another line of the mark */
    size_t left, right; /* columns */
};

struct snippet {
    const struct painter *p;
    struct snippet_segment *segment;
    int count, files;
};

/* --- the frame -------------------------------------------------------------------------------- */

void frame_bar(const struct painter *p, struct diag_row *row)
{
    row_pad(row, (size_t)p->gutter + 2);
    row_repeat(row, PAINT_FRAME, '|', 1);
}

void frame_line(const struct painter *p, struct diag_row *row, int line, char bar)
{
    char number[32];
    enum paint paint = bar == '+' ? PAINT_ADDED : bar == '-' ? PAINT_REMOVED : PAINT_FRAME;

    snprintf(number, sizeof number, " %*d ", p->gutter, line);
    row_add_text(row, PAINT_FRAME, number);
    row_repeat(row, paint, bar, 1);
    row_pad(row, row->width + 1);
}

void frame_end(const struct painter *p, struct diag_row *row)
{
    row_end(row, p->to, p->colour);
}

void frame_blank(const struct painter *p)
{
    struct diag_row row = {0};

    frame_bar(p, &row);
    frame_end(p, &row);
}

void frame_gap(const struct painter *p)
{
    struct diag_row row = {0};

    row_add_text(&row, PAINT_FRAME, "...");
    frame_end(p, &row);
}

/* --- from marks to segments ------------------------------------------------------------------- */

static size_t within(const struct location *where, size_t byte)
{
    return byte < where->size ? byte : where->size;
}

static struct snippet_segment *add_segment(struct snippet *s, const struct mark *mark,
                                           const struct location *where)
{
    int file = s->files;

    for (int i = 0; i < s->count && file == s->files; i++)
        if (s->segment[i].where.file == where->file)
            file = s->segment[i].file;
    s->files += file == s->files;
    s->segment[s->count] =
        (struct snippet_segment){.file = file,
                                 .order = s->count,
                                 .where = *where,
                                 .begin = within(where, (size_t)where->column - 1),
                                 .end = where->size,
                                 .mark = mark};
    return &s->segment[s->count++];
}

static size_t indentation(const struct location *where)
{
    size_t at = 0;

    while (at < where->size && (where->text[at] == ' ' || where->text[at] == '\t'))
        at++;
    return at;
}

/* Add the segments of a mark: one, or those of its first and its last line. */
static void add_mark(struct snippet *s, const struct mark *mark)
{
    const struct sources *sources = s->p->sources;
    struct location first, last;

    if (!sources_locate(sources, mark->at.begin, &first))
        return;
    struct snippet_segment *segment = add_segment(s, mark, &first);
    last = first;
    if (mark->at.end > mark->at.begin && !sources_locate(sources, mark->at.end - 1, &last))
        last = first;
    size_t end = within(&last, (size_t)last.column - (mark->at.end <= mark->at.begin));
    segment->labelled = first.line == last.line;
    if (segment->labelled) {
        segment->end = end;
        return;
    }
    segment = add_segment(s, mark, &last);
    segment->labelled = true;
    segment->begin = indentation(&last) < end ? indentation(&last) : end;
    segment->end = end;
}

static int by_place(const void *left, const void *right)
{
    const struct snippet_segment *a = left, *b = right;

    if (a->file != b->file)
        return a->file - b->file;
    if (a->where.line != b->where.line)
        return a->where.line < b->where.line ? -1 : 1;
    return a->order - b->order;
}

/* --- what stands below a line ----------------------------------------------------------------- */

static const char *label_of(const struct snippet_segment *s)
{
    return s->labelled ? s->mark->label : NULL;
}

/* Print the marks below a line, with the label of `behind`, which may be NULL, behind them. */
static void print_underlines(const struct painter *p, const struct snippet_segment *line, int count,
                             const struct snippet_segment *behind)
{
    struct diag_row row = {0};
    size_t right = 0;

    for (int i = 0; i < count; i++)
        right = line[i].right > right ? line[i].right : right;
    frame_bar(p, &row);
    row_pad(&row, row.width + 1);
    for (size_t column = 0; column < right; column++) {
        /* Primary marks lie above others. */
        const struct mark *seen = NULL;
        for (int i = 0; i < count; i++)
            if (line[i].left <= column && column < line[i].right &&
                (!seen || line[i].mark->primary))
                seen = line[i].mark;
        if (seen)
            row_repeat(&row, seen->paint, seen->primary ? '^' : '-', 1);
        else
            row_repeat(&row, PAINT_PLAIN, ' ', 1);
    }
    if (behind) {
        row_pad(&row, row.width + 1);
        row_add_text(&row, behind->mark->paint, behind->mark->label);
    }
    frame_end(p, &row);
}

static int by_column(const void *left, const void *right)
{
    const struct snippet_segment *const *a = left, *const *b = right;

    if ((*a)->left != (*b)->left)
        return (*a)->left < (*b)->left ? -1 : 1;
    return (*b)->order - (*a)->order;
}

/* Add a '|' below each of the marks in `hanging` that begins left of `column`. */
static void add_connectors(const struct painter *p, struct diag_row *row,
                           struct snippet_segment *const *hanging, int count, size_t column)
{
    frame_bar(p, row);
    size_t zero = row->width + 1;
    for (int i = 0; i < count && hanging[i]->left < column; i++) {
        if (zero + hanging[i]->left < row->width)
            continue;
        row_pad(row, zero + hanging[i]->left);
        row_repeat(row, hanging[i]->mark->paint, '|', 1);
    }
}

/* Print the labels that did not fit behind the marks, each below its mark, the rightmost first. */
static void print_hanging(const struct painter *p, struct snippet_segment *line, int count,
                          const struct snippet_segment *behind)
{
    struct snippet_segment **hanging = arena_array_of(p->arena, struct snippet_segment *, count);
    struct diag_row row = {0};
    int hangs = 0;

    for (int i = 0; i < count; i++)
        if (label_of(&line[i]) && &line[i] != behind)
            hanging[hangs++] = &line[i];
    if (hangs == 0)
        return;
    qsort(hanging, (size_t)hangs, sizeof(struct snippet_segment *), by_column);
    add_connectors(p, &row, hanging, hangs, SIZE_MAX);
    frame_end(p, &row);
    while (hangs-- > 0) {
        const struct snippet_segment *s = hanging[hangs];
        add_connectors(p, &row, hanging, hangs, s->left);
        row_pad(&row, (size_t)p->gutter + 4 + s->left);
        row_add_text(&row, s->mark->paint, s->mark->label);
        frame_end(p, &row);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static void print_text(const struct painter *p, const struct location *where,
                       const struct excerpt *excerpt)
{
    struct diag_row row = {0};

    frame_line(p, &row, where->line, '|');
    excerpt_add(excerpt, &row);
    frame_end(p, &row);
}

/* Print a line with its segments, of which there are `count`. */
static void print_line(const struct painter *p, struct snippet_segment *line, int count)
{
    const struct location *where = &line->where;
    struct excerpt_part *marked = arena_array_of(p->arena, struct excerpt_part, count);

    for (int i = 0; i < count; i++)
        marked[i] = (struct excerpt_part){line[i].begin, line[i].end};
    struct excerpt excerpt = excerpt_new(p->arena, marked, count, where->text, where->size);
    for (int i = 0; i < count; i++) {
        line[i].left = excerpt_column(&excerpt, line[i].begin);
        line[i].right = excerpt_column(&excerpt, line[i].end);
        line[i].right += line[i].right == line[i].left;
    }
    /* Only the label of the rightmost mark fits behind the marks; a primary mark is preferred. */
    size_t right = 0;
    const struct snippet_segment *behind = NULL;
    for (int i = 0; i < count; i++)
        right = line[i].right > right ? line[i].right : right;
    for (int i = 0; i < count; i++) {
        const struct snippet_segment *s = &line[i];
        bool better = !behind || (s->mark->primary && !behind->mark->primary) ||
                      (s->mark->primary == behind->mark->primary && s->left > behind->left);
        if (label_of(s) && s->right == right && better)
            behind = s;
    }
    print_text(p, where, &excerpt);
    print_underlines(p, line, count, behind);
    print_hanging(p, line, count, behind);
}

void snippet_print(const struct painter *p, const struct mark *marks, int count)
{
    struct snippet s = {.p = p};

    assert(count >= 0);
    s.segment = arena_array_of(p->arena, struct snippet_segment, 2 * count);
    for (int i = 0; i < count; i++)
        add_mark(&s, &marks[i]);
    qsort(s.segment, (size_t)s.count, sizeof *s.segment, by_place);
    for (int i = 0, n; i < s.count; i += n) {
        struct snippet_segment *line = &s.segment[i];
        for (n = 1; i + n < s.count && line[n].file == line->file &&
                    line[n].where.line == line->where.line;)
            n++;
        /* One line between two others is printed; if there are several, only a gap. */
        bool begins_file = i == 0 || line[-1].file != line->file;
        int apart = begins_file ? 0 : line->where.line - line[-1].where.line;
        struct location between;
        if (begins_file) {
            if (i > 0)
                frame_blank(p);
            /* The place of a file is that of its first mark, which may be in a later line. */
            const struct snippet_segment *first = line;
            for (int k = 0; k < s.count - i && line[k].file == line->file; k++)
                first = line[k].order < first->order ? &line[k] : first;
            const struct location *where = &first->where;
            struct diag_row row = {0};
            char place[64];
            row_pad(&row, (size_t)p->gutter + 1);
            row_add_text(&row, PAINT_FRAME, i == 0 ? "-->" : ":::");
            row_pad(&row, row.width + 1);
            row_add_text(&row, PAINT_PLAIN, where->file);
            snprintf(place, sizeof place, ":%d:%d", where->line, where->column);
            row_add_text(&row, PAINT_PLAIN, place);
            frame_end(p, &row);
            frame_blank(p);
        } else if (apart > 2)
            frame_gap(p);
        else if (apart == 2 && sources_line(p->sources, line[-1].mark->at.begin,
                                            line->where.line - 1, &between)) {
            struct excerpt e = excerpt_new(p->arena, NULL, 0, between.text, between.size);
            print_text(p, &between, &e);
        }
        print_line(p, line, n);
    }
}
