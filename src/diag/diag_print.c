/* diag_print.c - prints reports for people: in full, or one line each */
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

static bool locate(const struct diag *d, uint32_t offset, struct location *where)
{
    return offset > 0 && d->sources && sources_locate(d->sources, offset, where);
}

/* --- one line each ------------------------------------------------------------------------ */

/* Add "error[N0000]: text [-Wname]", with the option that would turn the warning on. */
static void add_head(struct diag_row *row, const struct diag_report *head)
{
    static const char *const severity[] = {
        [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    enum paint paint = paint_of(head->severity);
    bool error = head->severity == SEVERITY_ERROR;

    assert(head->severity <= SEVERITY_ERROR);
    row_add_text(row, paint, severity[head->severity]);
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

struct page {
    const struct report_printer *p;
    struct painter painter;
    bool remarks; /* a remark was printed last, so that the next one needs no bar before it */
};

static void see_line(const struct report_printer *p, uint32_t offset, int *largest)
{
    struct location where;

    if (locate(p->diag, offset, &where) && where.line > *largest)
        *largest = where.line;
}

/* The number of digits of the largest line number that may be shown. */
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

/* Print "   = help: text". */
static void print_remark(struct page *page, const char *kind, const char *text)
{
    struct diag_row row = {0};

    if (!page->remarks)
        frame_blank(&page->painter);
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

/* Print the help, and the lines that the fix-its would make. */
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
    frame_blank(&page->painter);
    change_print(&page->painter, r->fixes, r->fix_count);
    page->remarks = false;
}

/* Print the section of the standard, and with `hint` how to learn more. */
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

/* Print the notes; the rule comes before the first one with a place, which begins a new snippet. */
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
    struct mark *mark = arena_array_of(page.painter.arena, struct mark, r->notes.count + 1);
    enum paint paint = paint_of(r->head.severity);
    struct diag_row row = {0};
    struct location where;
    int count = 0;

    add_head(&row, &r->head);
    frame_end(&page.painter, &row);

    /* The place of the report and its labels, or only the name of a file. */
    if (locate(p->diag, r->head.at.begin, &where))
        mark[count++] = (struct mark){.at = r->head.at, .paint = paint, .primary = true};
    for (const struct note *note = r->notes.first; note; note = note->next) {
        bool same = note->at.begin == r->head.at.begin && note->at.end == r->head.at.end;
        if (note->label && is_placed(&page, note))
            mark[count++] = (struct mark){note->at, note->text, same ? paint : PAINT_FRAME, same};
    }
    snippet_print(&page.painter, mark, count);
    if (count == 0 && r->head.file) {
        row_pad(&row, (size_t)page.painter.gutter + 1);
        row_add_text(&row, PAINT_FRAME, "-->");
        row_pad(&row, row.width + 1);
        row_add_text(&row, PAINT_PLAIN, r->head.file);
        frame_end(&page.painter, &row);
    }
    print_help(&page, r);
    print_notes(&page, r, hint);
    putc('\n', p->to);
    arena_free(page.painter.arena);
}

void diag_print(struct diag *diag, FILE *to, enum diag_style style, bool colour)
{
    struct report_printer p = {diag, to, colour};

    assert(diag->printed <= diag->count);
    for (; diag->printed < diag->count; diag->printed++) {
        const struct diag_entry *r = &diag->report[diag->printed];
        if (style == DIAG_STYLE_FULL)
            print_full(&p, r, diag->printed == 0);
        else
            print_short(&p, r);
    }
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
