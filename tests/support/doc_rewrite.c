/* doc_rewrite.c - documents whose graphs are rewritten by passes; see doc_rewrite.h */
#include "support/doc_rewrite.h"

#include "base/arena.h"
#include "exec/run.h"
#include "op/op.h"
#include "pass/pass.h"
#include "support/doc_pass.h"
#include "support/same_graph.h"
#include "tensor/retained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 50, FOLD_LIMIT = 1 << 16 };

/* One way of reading a document, and its graph before and after passes. */
struct rewriter {
    struct doc *doc;
    const char *way; /* for complaints */
    struct doc_pass settings;
    bool all_outputs;

    struct doc_pass now; /* what is rewritten, with a graph and variables that are fed */
    struct retained_tensor *kept;
    struct doc_pass before; /* its graph is NULL as long as nothing was changed */
    struct run *run;        /* of that graph */
};

/* Passes that are run together. */
struct selection {
    const char *name;
    const bool *enabled;
};

/* --- graphs ------------------------------------------------------------------------------- */

static bool open_graph(const struct rewriter *r, struct doc_pass *pass)
{
    *pass = r->settings;
    doc_open(pass);
    if (!pass->graph || pass->graph->provisional)
        return false;
    doc_collect_expectations(pass);
    if (r->all_outputs)
        doc_add_outputs(pass);
    return doc_has_values(pass) && doc_feed_variables(pass);
}

static void close_graph(struct doc_pass *pass, struct retained_tensor **kept)
{
    doc_clear_feeds(pass);
    if (kept)
        retained_tensors_free(pass->context, *kept);
    if (kept)
        *kept = NULL;
    doc_close(pass);
}

/* What is updated shows in the second step only. */
static int steps_of(const struct rewriter *r)
{
    int steps = r->doc->steps;

    for (const struct node *n = r->now.graph->first; n; n = n->next)
        steps = steps < 2 && (n->op->traits & OP_EFFECT) ? 2 : steps;
    return steps;
}

static struct run *run_graph(const struct rewriter *r, struct doc_pass *pass)
{
    struct run *run = run_new(pass->graph);
    bool ok = run && doc_feed_inputs(pass, run);

    if (run)
        run_set_threads(run, 1);
    for (const struct node *n = pass->graph->first; ok && r->doc->scaled && n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            run_keep(run, &n->out[i]);
    for (int i = 0, steps = steps_of(r); ok && i < steps; i++)
        ok = run_step(run);
    if (ok)
        return run;
    run_free(run);
    return NULL;
}

static bool complain(struct rewriter *r, const struct selection *selection, const char *what)
{
    doc_complain(r->doc, 0, "%s (%s%s)", what, selection->name, r->way);
    return false;
}

/* The graph as it is without passes, made once it is needed. */
static bool compute_before(struct rewriter *r)
{
    if (r->before.graph)
        return r->run;
    bool ok = open_graph(r, &r->before);
    r->run = ok ? run_graph(r, &r->before) : NULL;
    return r->run;
}

/* --- what passes made of it ----------------------------------------------------------------- */

static struct tolerance tolerance_of(const struct rewriter *r, const struct port *output)
{
    double relative = doc_tolerance(&r->before, output->name), absolute = relative;

    if (r->doc->scaled)
        absolute *= fmax(1, largest_on_the_way(r->before.graph, r->run, output->value));
    return (struct tolerance){absolute, relative};
}

static bool same_values(struct rewriter *r, const struct run *run, struct text *what)
{
    const struct graph *before = r->before.graph, *after = r->now.graph;

    for (int i = 0; i < before->noutput; i++) {
        const struct tolerance tolerance = tolerance_of(r, &before->outputs[i]);
        if (!same_items(before->outputs[i].name, run_tensor(run, after->outputs[i].value),
                        run_tensor(r->run, before->outputs[i].value), &tolerance, what))
            return false;
    }
    return true;
}

static bool same_as_before(struct rewriter *r, const struct selection *selection)
{
    struct text what = {0};

    if (!compute_before(r))
        return true; /* it cannot be run either way */
    if (!same_interface(r->now.graph, r->before.graph, r->doc->rewriting.prune_inputs, &what)) {
        complain(r, selection, what.data);
        text_free(&what);
        return false;
    }
    struct run *run = run_graph(r, &r->now);
    bool ok = run ? same_values(r, run, &what) : complain(r, selection, "it cannot be run");
    if (run && !ok)
        complain(r, selection, what.data);
    text_free(&what);
    run_free(run);
    return ok;
}

static const char *last_report(const struct doc_pass *pass)
{
    const struct diag *diag = pass->context->diag;
    int count = diag_count(diag);

    return count ? diag_at(diag, count - 1).text : "for no reason";
}

static int changes_in(const struct pass_report *report)
{
    int changes = 0;

    for (int i = 0; i < pass_count(); i++)
        changes += report->changes[i];
    return changes;
}

static struct pass_options options_of(const struct rewriter *r, const struct selection *selection)
{
    const struct doc_rewriting *asked = &r->doc->rewriting;

    return (struct pass_options){
        .enabled = selection->enabled,
        .rounds = MOST_ROUNDS,
        .growth = asked->fold_limit ? asked->fold_limit : FOLD_LIMIT,
        .prune_inputs = asked->prune_inputs,
        .remarks = true,
        .verify = true,
    };
}

static bool rewrite_graph(struct rewriter *r, const struct selection *selection,
                          struct pass_report *report)
{
    const struct pass_options options = options_of(r, selection);
    uint32_t nodes = r->now.graph->node_count;

    if (!passes_run(r->now.graph, &options, &r->kept, report))
        return complain(r, selection, last_report(&r->now));
    if (!report->settled)
        return complain(r, selection, "passes go on changing something");
    if (!changes_in(report) && r->now.graph->node_count != nodes)
        return complain(r, selection, "passes make nodes, but say they changed nothing");
    return !changes_in(report) || same_as_before(r, selection);
}

/* True if the graph was changed; there is a new one then. */
static bool try_passes(struct rewriter *r, const struct selection *selection)
{
    struct pass_report report;

    if (rewrite_graph(r, selection, &report) && !changes_in(&report))
        return false;
    close_graph(&r->now, &r->kept);
    return open_graph(r, &r->now);
}

/* --- which passes --------------------------------------------------------------------------- */

static bool try_each(struct rewriter *r)
{
    bool changed = false;

    for (int i = 0; i < pass_count(); i++) {
        bool *enabled = arena_array_of(r->doc->arena, bool, pass_count());
        enabled[i] = true;
        bool does = try_passes(r, &(struct selection){pass_at(i).name, enabled});
        changed |= does;
        if (does && r->doc->changed)
            r->doc->changed[i]++;
    }
    return changed;
}

static void try_many(struct rewriter *r, const char *name, bool all)
{
    bool *enabled = arena_array_of(r->doc->arena, bool, pass_count());

    for (int i = 0; i < pass_count(); i++)
        enabled[i] = all || pass_at(i).by_default;
    try_passes(r, &(struct selection){name, enabled});
}

/* --- those that the document asks for -------------------------------------------------------- */

static void enable(struct doc *doc, const char *word, bool *enabled)
{
    bool all = strcmp(word, "all") == 0, standard = strcmp(word, "default") == 0;

    for (int i = 0; i < pass_count(); i++)
        enabled[i] |= all || i == pass_find(word) || (standard && pass_at(i).by_default);
    if (!all && !standard && pass_find(word) < 0)
        doc_complain(doc, doc->rewriting.line, "there is no pass '%s'", word);
}

static bool *enable_list(struct doc *doc, const char *list)
{
    bool *enabled = arena_array_of(doc->arena, bool, pass_count());
    char *copy = arena_strndup(doc->arena, list, strlen(list)), *rest = NULL;

    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        enable(doc, word, enabled);
    return enabled;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Operations with how often there are, in the order of the alphabet: "conv,pad*2". */
static void count_words(const char **word, int count, struct text *to)
{
    if (count)
        qsort(word, (size_t)count, sizeof *word, compare_words);
    for (int i = 0, k; i < count; i = k) {
        for (k = i; k < count && strcmp(word[k], word[i]) == 0; k++)
            ;
        text_add(to, "%s%s", i ? "," : "", word[i]);
        if (k - i > 1)
            text_add(to, "*%d", k - i);
    }
    text_add(to, "%s", "");
}

static void list_nodes(const struct doc_pass *pass, struct text *to)
{
    const char **word = arena_array_of(pass->doc->arena, const char *, pass->graph->node_count);
    int count = 0;

    for (const struct node *n = pass->graph->first; n; n = n->next)
        word[count++] = n->op->name;
    count_words(word, count, to);
}

static void list_asked(struct doc *doc, struct text *to)
{
    enum { MOST_ASKED = 256 };
    const char **asked = arena_array_of(doc->arena, const char *, MOST_ASKED);
    char *rest = arena_strndup(doc->arena, doc->rewriting.leaves, strlen(doc->rewriting.leaves));
    char *word;
    int count = 0;

    while ((word = strtok_r(rest, ",", &rest)) != NULL) {
        char *times = strchr(word, '*');
        int64_t many = times ? strtoll(times + 1, NULL, 10) : 1;
        if (times)
            *times = '\0';
        for (int64_t i = 0; i < many && count < MOST_ASKED; i++)
            asked[count++] = word;
    }
    count_words(asked, count, to);
}

static void check_leaves(struct rewriter *r)
{
    struct text found = {0}, asked = {0};

    list_nodes(&r->now, &found);
    list_asked(r->doc, &asked);
    if (strcmp(found.data, asked.data) != 0)
        doc_complain(r->doc, r->doc->rewriting.line, "passes leave %s, expected %s", found.data,
                     asked.data);
    text_free(&found);
    text_free(&asked);
}

static void check_remark(struct rewriter *r, const struct doc_remark *asked,
                         const struct pass_report *report)
{
    for (int i = 0; i < report->nremark; i++)
        if (report->remarks[i].pass == pass_find(asked->pass) &&
            strstr(report->remarks[i].reason, asked->reason))
            return;
    doc_complain(r->doc, asked->line, "no remark '%s' of the pass '%s'", asked->reason,
                 asked->pass);
    for (int i = 0; i < report->nremark; i++)
        doc_complain(r->doc, asked->line, "there is that of '%s': '%s'",
                     pass_at(report->remarks[i].pass).name, report->remarks[i].reason);
}

static void try_asked(struct rewriter *r)
{
    const struct doc_rewriting *asked = &r->doc->rewriting;
    const char *list = asked->passes ? asked->passes : "default";
    const struct selection selection = {list, enable_list(r->doc, list)};
    struct pass_report report;

    if (!rewrite_graph(r, &selection, &report))
        return;
    if (asked->leaves)
        check_leaves(r);
    for (const struct doc_remark *m = asked->remarks; m; m = m->next)
        check_remark(r, m, &report);
}

/* --- all of it ------------------------------------------------------------------------------ */

static void rewrite_all(struct rewriter *r)
{
    const struct doc_rewriting *asked = &r->doc->rewriting;
    bool is_plain =
        !r->all_outputs && r->settings.keep == (r->doc->expand_all ? lower_keep_none : NULL);
    bool is_asked = asked->passes || asked->leaves || asked->remarks;

    if (open_graph(r, &r->now)) {
        if (try_each(r)) {
            try_many(r, "default", false);
            try_many(r, "all", true);
        }
        if (is_plain && is_asked)
            try_asked(r);
    } else if (!r->now.graph || (is_plain && is_asked)) {
        complain(r, &(struct selection){"before any", NULL}, last_report(&r->now));
    }
    run_free(r->run);
    if (r->before.context)
        close_graph(&r->before, NULL);
    close_graph(&r->now, &r->kept);
}

bool doc_rewrite(struct doc *doc)
{
    static const char *const ways[] = {"", ", all outputs", ", expanded",
                                       ", all outputs, expanded"};
    int count = doc->keep_only || doc->expand_all ? 2 : 4, step = doc->has_values ? 1 : 2;

    if (doc->complaints.size > 0)
        return false;
    const char *text = doc_sound_part(doc);
    for (int i = 0; i < count; i += step) {
        struct rewriter r = {.doc = doc,
                             .way = ways[i],
                             .all_outputs = i % 2,
                             .settings = {.doc = doc,
                                          .name = ways[i],
                                          .text = text,
                                          .keep = i / 2 || doc->expand_all ? lower_keep_none : NULL,
                                          .checks_values = true}};
        rewrite_all(&r);
    }
    return doc->complaints.size == 0;
}

/* True if they could; *changed says whether there was anything to be changed. */
static bool rewrite_by(struct doc_pass *pass, const char *list, struct retained_tensor **kept,
                       bool *changed)
{
    struct rewriter r = {.doc = pass->doc, .way = ""};
    const struct selection selection = {list, enable_list(pass->doc, list)};
    const struct pass_options options = options_of(&r, &selection);
    struct pass_report report;
    bool ok = passes_run(pass->graph, &options, kept, &report);

    if (!ok)
        complain(&r, &selection, last_report(pass));
    *changed = ok && changes_in(&report);
    return ok;
}

bool doc_rewrite_by_default(struct doc_pass *pass, struct retained_tensor **kept)
{
    bool changed;

    return rewrite_by(pass, "default", kept, &changed) && changed;
}

bool doc_rewrite_for_speed(struct doc_pass *pass, struct retained_tensor **kept)
{
    struct text list = {0};
    bool changed;

    for (int i = 0; i < pass_count(); i++)
        if (pass_at(i).for_plans)
            text_add(&list, "%s%s", list.size ? "," : "", pass_at(i).name);
    bool ok = rewrite_by(pass, list.data ? list.data : "", kept, &changed);
    text_free(&list);
    return ok;
}
