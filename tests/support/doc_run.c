/* doc_run.c - takes a document from text to graph and compares what is reported; see doc.h */
#include "support/doc_pass.h"

#include "base/arena.h"
#include "base/text.h"
#include "op/graph_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what was reported ------------------------------------------------------------------------ */

static bool is_kind(const struct doc_fault *fault, enum diag_severity severity)
{
    return fault->kind == (severity == SEVERITY_ERROR ? '!' : '?');
}

static bool meet(struct doc *doc, const struct diag_report *report, int line)
{
    for (struct doc_fault *f = doc->faults.first; f; f = f->next) {
        if (is_kind(f, report->severity) && !f->met && f->code == report->code && f->line == line)
            return f->met = true;
    }
    return false;
}

static void check_report(struct doc_pass *pass, const struct diag_report *report)
{
    bool error = report->severity == SEVERITY_ERROR;
    struct location where = {.file = report->file, .line = 0};
    bool placed = report->at.end > 0 &&
                  sources_locate(pass->context->sources, report->at.begin, &where) &&
                  strcmp(where.file, pass->doc->path) == 0;

    if (pass->checks_faults && meet(pass->doc, report, placed ? where.line : 0))
        return;
    if (!error && !(pass->checks_faults && (pass->doc->has_warnings || pass->doc->is_near_miss)))
        return;
    doc_complain(pass->doc, placed ? where.line : 0, "unexpected %s[%s]: %s%s%s%s",
                 error ? "error" : "warning", diag_info(report->code)->code, report->text,
                 placed || !where.file ? "" : ", in ", placed || !where.file ? "" : where.file,
                 pass->name);
}

/* True if there is such a note, which the announced ones in its line are met by. */
static bool meet_note(struct doc_pass *pass, struct diag_report note)
{
    struct location where;
    bool placed = note.text && sources_locate(pass->context->sources, note.at.begin, &where) &&
                  strcmp(where.file, pass->doc->path) == 0;

    for (struct doc_fault *f = pass->doc->faults.first; placed && f; f = f->next)
        f->met |= f->kind == '^' && f->line == where.line;
    return note.text;
}

/* A label of a report counts as a note. */
static void check_notes(struct doc_pass *pass, int report)
{
    const struct diag *diag = pass->context->diag;

    for (int i = 0; meet_note(pass, diag_note_at(diag, report, i));)
        i++;
    for (int i = 0; meet_note(pass, diag_label_at(diag, report, i));)
        i++;
}

static void check_reports(struct doc_pass *pass)
{
    const struct diag *diag = pass->context->diag;

    for (int i = 0; i < diag_count(diag); i++) {
        struct diag_report report = diag_at(diag, i);
        check_report(pass, &report);
        if (pass->checks_faults)
            check_notes(pass, i);
    }
    if (!pass->checks_faults)
        return;
    for (const struct doc_fault *f = pass->doc->faults.first; f; f = f->next)
        if (!f->met)
            doc_complain(pass->doc, f->line, "expected %s%s, found none",
                         f->kind == '!'   ? "error "
                         : f->kind == '?' ? "warning "
                                          : "a note here",
                         f->kind == '^' ? "" : diag_info(f->code)->code);
}

/* --- one pass --------------------------------------------------------------------------------- */

static void compile(struct doc_pass *pass)
{
    struct doc *doc = pass->doc;
    struct shape_override *overrides;
    struct lower_options options = {.keep = pass->keep};
    const struct checked *checked = NULL;

    pass->base = sources_add(pass->context->sources, doc->path, pass->text, doc->size);
    pass->document = parse_text(pass->context, pass->base, pass->text, doc->size, &doc->parse);
    doc_collect_feeds(pass);
    if (!pass->checks_faults && pass->document && pass->document->graph)
        doc_drop_results(pass->document->graph);
    if (pass->document)
        checked = sema_check(pass->context, pass->document, &doc->sema);
    if (!checked)
        return;
    options.noverride = doc_overrides(pass, &overrides);
    options.overrides = overrides;
    pass->graph = lower(checked, &options);
}

/* What the front end makes keeps all rules of graphs, whatever the document. */
static void check_graph(const struct doc_pass *pass)
{
    struct text why = {0};

    if (!graph_verify(pass->graph, &why))
        doc_complain(pass->doc, 0, "the graph is not sound%s: %s", pass->name, why.data);
    text_free(&why);
}

void doc_open(struct doc_pass *pass)
{
    if (!pass->doc->root)
        pass->doc->root = context_new();
    pass->doc->root->limits = pass->doc->limits;
    pass->context = context_child(pass->doc->root, NULL);
    pass->context->diag = diag_new(pass->context->sources);
    diag_set_limit(pass->context->diag, 0);
    diag_set_pedantic(pass->context->diag, pass->doc->sema.pedantic);
    compile(pass);
}

void doc_close(struct doc_pass *pass)
{
    diag_free(pass->context->diag);
    context_free(pass->context);
    pass->context = NULL;
}

static void run_pass(struct doc_pass *pass)
{
    doc_open(pass);
    if (pass->graph) {
        check_graph(pass);
        doc_compute(pass);
    } else if (diag_error_count(pass->context->diag) == 0) {
        doc_complain(pass->doc, 0, "no graph, but no error either%s", pass->name);
    }
    if (!pass->watcher)
        check_reports(pass);
    if (pass->checks_faults && pass->doc->has_errors)
        pass->text = doc_sound_text(pass);
    doc_close(pass);
}

/* --- all passes ------------------------------------------------------------------------------- */

bool doc_run(struct doc *doc)
{
    struct doc_pass pass = {.doc = doc,
                            .name = "",
                            .text = doc->text,
                            .keep = doc->expand_all ? lower_keep_none : NULL,
                            .checks_faults = true,
                            .checks_values = !doc->has_errors};
    struct doc_pass again = pass;

    if (doc->complaints.size > 0)
        return false;
    run_pass(&pass);
    again.checks_faults = false;
    again.checks_values = true;
    again.text = pass.text;
    if (doc->has_values && doc->has_errors) {
        pass = again;
        pass.name = " (without its faults)";
        run_pass(&pass);
    }
    if (doc->has_values && !doc->expand_all && !doc->keep_only) {
        pass = again;
        pass.name = " (with all compounds expanded)";
        pass.keep = lower_keep_none;
        run_pass(&pass);
    }
    return doc->complaints.size == 0;
}

const char *doc_sound_part(struct doc *doc)
{
    struct doc_pass pass = {.doc = doc, .name = "", .text = doc->text, .checks_faults = true};

    if (doc->has_errors)
        run_pass(&pass);
    return pass.text;
}

void doc_watch(struct doc *doc, const struct doc_watcher *watcher)
{
    struct doc_pass pass = {.doc = doc,
                            .name = "",
                            .text = doc_sound_part(doc),
                            .keep = doc->expand_all ? lower_keep_none : watcher->keep,
                            .checks_values = true,
                            .watcher = watcher};

    run_pass(&pass);
}
