/* diag_print.c - reports for people, in full or in short */
#include "base/arena.h"
#include "base/text.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <string.h>

struct report_printer {
    const struct diag *diag;
    FILE *to;
    bool colour;
};

static const char *severity_name(enum diag_severity severity)
{
    switch (severity) {
    case SEVERITY_NOTE:
        return "note";
    case SEVERITY_WARNING:
        return "warning";
    case SEVERITY_ERROR:
        return "error";
    }
    return "";
}

static bool locate(const struct diag *d, uint32_t offset, struct location *where)
{
    return offset > 0 && d->sources && sources_locate(d->sources, offset, where);
}

/* --- one line each ------------------------------------------------------------------------ */

/* "error[N0000]: text [-Wname]", the name in the way in which it would be asked for. */
static void add_head(struct diag_row *row, const struct diag_report *head)
{
    enum paint paint = paint_of(head->severity);
    bool error = head->severity == SEVERITY_ERROR;

    row_add_text(row, paint, severity_name(head->severity));
    row_repeat(row, paint, '[', 1);
    row_add_text(row, paint, diag_info(head->code)->code);
    row_add_text(row, paint, "]:");
    row_pad(row, row->width + 1);
    row_add_text(row, PAINT_STRONG, head->text);
    if (head->warning == WARNING_NONE)
        return;
    row_add_text(row, PAINT_PLAIN, error ? " [-Werror=" : " [-W");
    row_add_text(row, PAINT_PLAIN, diag_warning_info(head->warning)->name);
    row_repeat(row, PAINT_PLAIN, ']', 1);
}

static void print_short(const struct report_printer *p, const struct diag_entry *r)
{
    struct location where;
    struct diag_row row = {0};
    char place[64] = ": ";
    const char *file = r->head.file;

    if (locate(p->diag, r->head.at.begin, &where)) {
        file = where.file;
        snprintf(place, sizeof place, ":%d:%d: ", where.line, where.column);
    }
    if (file) {
        row_add_text(&row, PAINT_STRONG, file);
        row_add_text(&row, PAINT_STRONG, place);
    }
    add_head(&row, &r->head);
    row_end(&row, p->to, p->colour);
}

/* --- with the source -------------------------------------------------------------------------- */

/* What was printed last of a report decides whether a bar is needed before what comes next. */
struct page {
    const struct report_printer *p;
    struct painter painter;
    bool remarks; /* that was one of its remarks */
};

static void see_line(const struct report_printer *p, uint32_t offset, int *largest)
{
    struct location where;

    if (locate(p->diag, offset, &where) && where.line > *largest)
        *largest = where.line;
}

/* Columns of the largest number of a line that may be shown. */
static int gutter_of(const struct report_printer *p, const struct diag_entry *r)
{
    int largest = 1, added = 0, columns = 0;

    see_line(p, r->head.at.begin, &largest);
    see_line(p, r->head.at.end, &largest);
    for (const struct note *note = r->notes.first; note; note = note->next) {
        see_line(p, note->at.begin, &largest);
        see_line(p, note->at.end, &largest);
    }
    for (int i = 0; i < r->fix_count; i++) {
        see_line(p, r->fixes[i].at.end, &largest);
        const char *text = r->fixes[i].replacement;
        int count = 0;
        for (; *text; text++)
            count += *text == '\n';
        added += count;
    }
    for (largest += added; largest > 0; largest /= 10)
        columns++;
    return columns;
}

static void print_bar(struct page *page)
{
    struct diag_row row = {0};

    frame_bar(&page->painter, &row);
    frame_end(&page->painter, &row);
}

/* "   = help: text" */
static void print_remark(struct page *page, const char *kind, const char *text)
{
    struct diag_row row = {0};

    if (!page->remarks)
        print_bar(page);
    page->remarks = true;
    row_pad(&row, (size_t)page->painter.gutter + 2);
    row_repeat(&row, PAINT_FRAME, '=', 1);
    row_pad(&row, row.width + 1);
    row_add_text(&row, PAINT_STRONG, kind);
    row_add_text(&row, PAINT_STRONG, ": ");
    row_add_text(&row, PAINT_PLAIN, text);
    frame_end(&page->painter, &row);
}

static bool is_placed(const struct page *page, const struct note *note)
{
    struct location where;

    return locate(page->p->diag, note->at.begin, &where);
}

/* False if there is no source to show. */
static bool print_snippet(struct page *page, const struct diag_entry *r)
{
    struct arena *arena = page->painter.arena;
    struct mark *mark = arena_array_of(arena, struct mark, r->notes.count + 1);
    enum paint paint = paint_of(r->head.severity);
    struct location where;
    int count = 0;

    if (locate(page->p->diag, r->head.at.begin, &where))
        mark[count++] = (struct mark){.at = r->head.at, .paint = paint, .primary = true};
    for (const struct note *note = r->notes.first; note; note = note->next) {
        bool same = note->at.begin == r->head.at.begin && note->at.end == r->head.at.end;
        if (note->label && is_placed(page, note))
            mark[count++] = (struct mark){note->at, note->text, same ? paint : PAINT_FRAME, same};
    }
    snippet_print(&page->painter, mark, count);
    return count > 0;
}

static void print_file(struct page *page, const char *file)
{
    struct diag_row row = {0};

    row_pad(&row, (size_t)page->painter.gutter + 1);
    row_add_text(&row, PAINT_FRAME, "-->");
    row_pad(&row, row.width + 1);
    row_add_text(&row, PAINT_PLAIN, file);
    frame_end(&page->painter, &row);
}

static void print_help(struct page *page, const struct diag_entry *r)
{
    struct location where;
    bool fixed = r->fix_count > 0 && locate(page->p->diag, r->fixes[0].at.begin, &where);

    if (r->help)
        print_remark(page, "help", r->help);
    else if (fixed)
        print_remark(page, "help", "as 'nnefc check --fix' writes it:");
    if (!fixed)
        return;
    print_bar(page);
    change_print(&page->painter, r->fixes, r->fix_count);
    page->remarks = false;
}

/* The clause of the standard; how to learn more is said once. */
static void print_rule(struct page *page, enum diag_code code, bool hint)
{
    const struct diag_info *info = diag_info(code);
    bool ours = strcmp(info->section, "-") == 0;
    struct text text = {0};

    if (ours && !hint)
        return;
    if (!ours)
        text_add(&text, "NNEF 1.0.5, section %s", info->section);
    if (hint)
        text_add(&text, "%srun 'nnefc explain %s'", ours ? "" : "; ", info->code);
    print_remark(page, "note", text.data);
    text_free(&text);
}

/* Notes before the first that has a place belong to the report, those behind it to that place. */
static void print_notes(struct page *page, const struct diag_entry *r, bool hint)
{
    bool ruled = false;

    for (const struct note *note = r->notes.first; note; note = note->next) {
        bool placed = is_placed(page, note);
        if (note->label && placed)
            continue;
        if (placed && !ruled) {
            print_rule(page, r->head.code, hint);
            ruled = true;
        }
        if (placed) {
            struct diag_row row = {0};
            struct mark mark = {.at = note->at, .paint = PAINT_NOTE, .primary = true};
            row_add_text(&row, PAINT_NOTE, "note:");
            row_pad(&row, row.width + 1);
            row_add_text(&row, PAINT_STRONG, note->text);
            frame_end(&page->painter, &row);
            snippet_print(&page->painter, &mark, 1);
            page->remarks = false;
        } else
            print_remark(page, "note", note->text);
    }
    if (!ruled)
        print_rule(page, r->head.code, hint);
}

static void print_full(const struct report_printer *p, const struct diag_entry *r, bool hint)
{
    struct page page = {.p = p,
                        .painter = {.sources = p->diag->sources,
                                    .arena = arena_new(),
                                    .to = p->to,
                                    .colour = p->colour,
                                    .gutter = gutter_of(p, r)}};
    struct diag_row row = {0};

    add_head(&row, &r->head);
    frame_end(&page.painter, &row);
    if (!print_snippet(&page, r) && r->head.file)
        print_file(&page, r->head.file);
    print_help(&page, r);
    print_notes(&page, r, hint);
    putc('\n', p->to);
    arena_free(page.painter.arena);
}

/* --- both --------------------------------------------------------------------------------- */

static void print_one(const struct report_printer *p, const struct diag_entry *r,
                      enum diag_style style)
{
    bool first = r == p->diag->report;

    switch (style) {
    case DIAG_STYLE_FULL:
        print_full(p, r, first);
        return;
    case DIAG_STYLE_SHORT:
        print_short(p, r);
        return;
    }
}

void diag_print(struct diag *diag, FILE *to, enum diag_style style, bool colour)
{
    struct report_printer p = {diag, to, colour};

    assert(diag->printed <= diag->count);
    for (; diag->printed < diag->count; diag->printed++)
        print_one(&p, &diag->report[diag->printed], style);
    if (diag->hidden == 0 || diag->hidden_printed)
        return;
    struct diag_entry note = {.head = {.severity = SEVERITY_NOTE, .code = DIAG_TOO_MANY_ERRORS}};
    struct text text = {0};
    int count = p.diag->hidden;
    text_add(&text, "%s%d more error%s not shown; --error-limit=0 shows all",
             diag_full(p.diag) ? "at least " : "", count, count == 1 ? " is" : "s are");
    note.head.text = text.data;
    print_short(&p, &note);
    text_free(&text);
    diag->hidden_printed = true;
}
