/* doc_empty.c - documents whose externals have extents of 0; see doc_empty.h */
#include "support/doc_empty.h"

#include "base/arena.h"
#include "exec/run.h"
#include "support/doc_backend.h"
#include "support/doc_pass.h"

#include <string.h>

/* Faults are found one by one: what is left out may have hidden others. */
enum { ROUNDS = 100 };

/* Which extents are 0 together. */
enum together { ALONE, ALL };

struct trial {
    struct doc *doc;
    const char *text; /* of the document without what it announces as faulty */
    const struct shape_override *own;
    struct shape_override *now;
    int count;             /* of externals */
    bool expands;          /* some compound can be expanded */
    int first, first_axis; /* the extent that is 0 in any case */
    enum together together;
};

/* --- what cannot be computed ---------------------------------------------------------------- */

static const struct stmt *statement_around(const struct doc_pass *pass, struct span at)
{
    const struct graph_decl *graph = pass->document ? pass->document->graph : NULL;

    for (const struct stmt *s = graph ? graph->body.first : NULL; s; s = s->next)
        if (s->target->span.begin <= at.begin && at.end <= s->value->span.end)
            return s;
    return NULL;
}

/* Where the report is, or the note that names the invocation of a fragment. */
static const struct stmt *statement_of(const struct doc_pass *pass, int report)
{
    const struct diag *diag = pass->context->diag;
    const struct stmt *found = statement_around(pass, diag_at(diag, report).at);

    for (int i = 0; !found && diag_note_at(diag, report, i).text; i++)
        found = statement_around(pass, diag_note_at(diag, report, i).at);
    return found;
}

/* Statements with errors become faults that the document announces.  False if there are none. */
static bool take_faults(const struct doc_pass *pass)
{
    const struct diag *diag = pass->context->diag;
    struct doc *doc = pass->doc;
    bool found = false;

    for (int i = 0; i < diag_count(diag); i++) {
        const struct diag_report report = diag_at(diag, i);
        struct location where = {.line = 0};
        if (report.severity != SEVERITY_ERROR)
            continue;
        const struct stmt *s = statement_of(pass, i);
        if (s)
            sources_locate(pass->context->sources, s->target->span.begin, &where);
        else
            doc_complain(doc, 0, "error without a place: %s", report.text);
        struct doc_fault *fault = arena_new_of(doc->arena, struct doc_fault);
        *fault = (struct doc_fault){.kind = '!', .code = report.code, .line = where.line};
        doc->faults = doc_fault_append(doc->faults, fault);
        found = true;
    }
    return found;
}

/* A step of the reference; false if it reports why not. */
static bool computes(struct doc_pass *pass)
{
    struct run *run = doc_feed_variables(pass) ? run_new(pass->graph) : NULL;

    if (run)
        run_set_threads(run, 1);
    bool ok = run && doc_feed_inputs(pass, run) && run_step(run);
    run_free(run);
    doc_clear_feeds(pass);
    return ok;
}

/* The part of the text that can be computed; NULL after a complaint. */
static const char *sound_part(const struct trial *t, bool expanded)
{
    struct doc_fault_list announced = t->doc->faults;
    const char *text = t->text;
    bool ok = false, faulty = true;

    for (int i = 0; i < ROUNDS && faulty && t->doc->complaints.size == 0; i++) {
        struct doc_pass pass = {.doc = t->doc,
                                .name = " (without items)",
                                .text = text,
                                .keep = expanded ? lower_keep_none : NULL};
        doc_open(&pass);
        ok = pass.graph && computes(&pass);
        faulty = take_faults(&pass);
        if (faulty)
            text = doc_sound_text(&pass);
        doc_close(&pass);
    }
    if (!ok || faulty)
        doc_complain(t->doc, 0, "it is not computed without items, and no error says why");
    t->doc->faults = announced;
    if (announced.last)
        announced.last->next = NULL;
    return ok ? text : NULL;
}

/* --- trials --------------------------------------------------------------------------------- */

/*
 * Sets what is 0: extent `first_axis` of external `first`, and if wanted all that are equal to it.
 * False if that was tried before: it is not the first of the equal ones, or there are no others.
 */
static bool choose(const struct trial *t)
{
    int64_t extent = t->own[t->first].shape.extent[t->first_axis];
    int before = 0, equal = 0;

    for (int i = 0; i < t->count; i++) {
        t->now[i] = t->own[i];
        for (int k = 0; k < t->own[i].shape.rank; k++) {
            bool is_first = i == t->first && k == t->first_axis;
            bool same = t->own[i].shape.extent[k] == extent;
            before = is_first ? equal : before;
            equal += same;
            if (is_first || (t->together == ALL && same))
                t->now[i].shape.extent[k] = 0;
        }
    }
    return t->together == ALONE || (before == 0 && equal > 1);
}

static void try_it(const struct trial *t)
{
    struct doc *doc = t->doc;
    bool as_written = !t->expands || t->together != ALONE;

    for (int expanded = 0; expanded < (as_written ? 1 : 2); expanded++) {
        const char *text = sound_part(t, expanded || doc->expand_all);
        if (text)
            doc_plan_text(doc, text, expanded);
    }
}

/* Tries stop at the first that fails. */
static void try_extent(struct trial *t)
{
    for (t->together = ALONE; t->together <= ALL; t->together++)
        if (t->doc->complaints.size == 0 && choose(t))
            try_it(t);
}

/* Does the graph have other operations if compounds are expanded? */
static bool expands(const struct trial *t, const struct graph *graph)
{
    struct doc_pass pass = {.doc = t->doc, .name = "", .text = t->text, .keep = lower_keep_none};

    if (t->doc->keep_only || t->doc->expand_all)
        return false;
    doc_open(&pass);
    const struct node *n = graph->first, *m = pass.graph ? pass.graph->first : NULL;
    while (n && m && n->op == m->op) {
        n = n->next;
        m = m->next;
    }
    bool differ = n || m;
    doc_close(&pass);
    return differ;
}

/* The parameters and their shapes; false if there is nothing to try. */
static bool open_trial(struct trial *t)
{
    struct doc_pass pass = {.doc = t->doc, .name = "", .text = t->text};

    doc_open(&pass);
    t->count = pass.graph ? pass.graph->ninput : 0;
    struct shape_override *own = arena_array_of(t->doc->arena, struct shape_override, t->count);
    bool known = true;
    for (int i = 0; i < t->count; i++) {
        const struct port *input = &pass.graph->inputs[i];
        own[i].name = arena_strndup(t->doc->arena, input->name, strlen(input->name));
        own[i].shape = *input->value->shape;
        known &= shape_known(&own[i].shape);
    }
    t->expands = pass.graph && expands(t, pass.graph);
    doc_close(&pass);
    t->own = own;
    t->now = arena_array_of(t->doc->arena, struct shape_override, t->count);
    return known;
}

bool doc_run_empty(struct doc *doc)
{
    struct trial t = {.doc = doc};

    t.text = doc->complaints.size > 0 ? NULL : doc_sound_part(doc);
    if (!t.text || !open_trial(&t))
        return t.text;
    doc->shapes = t.now;
    doc->nshapes = t.count;
    for (t.first = 0; t.first < t.count; t.first++)
        for (t.first_axis = 0; t.first_axis < t.own[t.first].shape.rank; t.first_axis++)
            try_extent(&t);
    if (doc->complaints.size > 0)
        for (int i = 0; i < t.count; i++)
            if (!shape_equal(&t.now[i].shape, &t.own[i].shape))
                doc_complain(doc, 0, "... with '%s' of shape %s", t.now[i].name,
                             SHAPE_TEXT(&t.now[i].shape));
    return doc->complaints.size == 0;
}
