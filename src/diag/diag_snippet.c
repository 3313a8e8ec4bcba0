/*
 * diag_snippet.c - lines of source text with marks below them
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

/* What a mark covers of one line. */
struct snippet_segment {
    int file, order; /* files in the order of the marks; marks in theirs */
    struct location where;
    size_t begin, end; /* bytes of the line */
    const struct mark *mark;
    bool labelled;      /* the label stands here and not on another line */
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

static void print_bar(const struct painter *p)
{
    struct diag_row row = {0};

    frame_bar(p, &row);
    frame_end(p, &row);
}

/* --- from marks to segments ------------------------------------------------------------------- */

static int file_number(const struct snippet *s, const char *file)
{
    for (int i = 0; i < s->count; i++)
        if (s->segment[i].where.file == file)
            return s->segment[i].file;
    return s->files;
}

static size_t within(const struct location *where, size_t byte)
{
    return byte < where->size ? byte : where->size;
}

static struct snippet_segment *add_segment(struct snippet *s, const struct mark *mark,
                                           const struct location *where)
{
    struct snippet_segment segment = {.file = file_number(s, where->file),
                                      .order = s->count,
                                      .where = *where,
                                      .begin = within(where, (size_t)where->column - 1),
                                      .end = where->size,
                                      .mark = mark};

    s->files += segment.file == s->files;
    s->segment[s->count] = segment;
    return &s->segment[s->count++];
}

static size_t indentation(const struct location *where)
{
    size_t at = 0;

    while (at < where->size && (where->text[at] == ' ' || where->text[at] == '\t'))
        at++;
    return at;
}

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

/* Connectors of all that hang left of `column`, of which there are at most `count`. */
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

/* The segments of one line. */
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
    /* The label that fits behind the marks; NULL if there is none. */
    size_t right = 0;
    const struct snippet_segment *best = NULL;
    for (int i = 0; i < count; i++)
        right = line[i].right > right ? line[i].right : right;
    for (int i = 0; i < count; i++) {
        const struct snippet_segment *s = &line[i];
        bool better = !best || (s->mark->primary && !best->mark->primary) ||
                      (s->mark->primary == best->mark->primary && s->left > best->left);
        if (label_of(s) && s->right == right && better)
            best = s;
    }
    const struct snippet_segment *behind = best;
    print_text(p, where, &excerpt);
    print_underlines(p, line, count, behind);
    print_hanging(p, line, count, behind);
}

/* One line between two others is shown, more are not. */
static void print_between(const struct painter *p, const struct snippet_segment *from,
                          const struct snippet_segment *to)
{
    struct location between;
    struct diag_row row = {0};

    if (to->where.line - from->where.line > 2) {
        row_add_text(&row, PAINT_FRAME, "...");
        frame_end(p, &row);
    } else if (to->where.line - from->where.line == 2 &&
               sources_line(p->sources, from->mark->at.begin, from->where.line + 1, &between)) {
        struct excerpt excerpt = excerpt_new(p->arena, NULL, 0, between.text, between.size);
        print_text(p, &between, &excerpt);
    }
}

static bool on_one_line(const struct snippet_segment *a, const struct snippet_segment *b)
{
    return a->file == b->file && a->where.line == b->where.line;
}

/* The place of a file is that of its first mark, wherever in it that is. */
static const struct location *place_of(const struct snippet_segment *in_file, int count)
{
    const struct snippet_segment *first = in_file;

    for (int i = 0; i < count && in_file[i].file == in_file->file; i++)
        if (in_file[i].order < first->order)
            first = &in_file[i];
    return &first->where;
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
        for (n = 1; i + n < s.count && on_one_line(line, line + n);)
            n++;
        if (i == 0 || line[-1].file != line->file) {
            if (i > 0)
                print_bar(p);
            const struct location *where = place_of(line, s.count - i);
            struct diag_row row = {0};
            char place[64];
            row_pad(&row, (size_t)p->gutter + 1);
            row_add_text(&row, PAINT_FRAME, i == 0 ? "-->" : ":::");
            row_pad(&row, row.width + 1);
            row_add_text(&row, PAINT_PLAIN, where->file);
            snprintf(place, sizeof place, ":%d:%d", where->line, where->column);
            row_add_text(&row, PAINT_PLAIN, place);
            frame_end(p, &row);
            print_bar(p);
        } else {
            print_between(p, line - 1, line);
        }
        print_line(p, line, n);
    }
}
