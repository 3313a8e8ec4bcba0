/* doc_backend.c - documents that a backend computes; see doc_backend.h */
#include "support/doc_backend.h"

#include "base/arena.h"
#include "base/pool.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "op/op.h"
#include "pass/pass.h"
#include "support/corners.h"
#include "support/doc_pass.h"
#include "support/plan_sound.h"
#include "support/same_graph.h"
#include "tensor/retained.h"

#include <math.h>
#include <string.h>

enum { THREADS = 2, USED_BYTES = 1 << 20 };

/* One way of computing a document. */
struct way {
    const char *name;
    bool all_outputs, expanded, rewritten;
};

static const struct way ways[] = {
    {", all outputs", .all_outputs = true},
    {", all outputs, expanded", .all_outputs = true, .expanded = true},
    {", rewritten", .rewritten = true},
    {", rewritten, expanded", .rewritten = true, .expanded = true},
};

/* The reference, and a plan beside it. */
struct pair {
    struct doc *doc;
    const struct way *way;
    struct doc_pass before, now;
    struct retained_tensor *made, *made_before;
    struct run *run;
    struct plan *plan;
    struct pool *pool; /* of the plan */
    struct execution *execution;
};

static void complain(struct pair *p, const char *what)
{
    doc_complain(p->doc, 0, "%s (planned%s)", what, p->way->name);
}

/* --- opening and closing -------------------------------------------------------------------- */

static bool open_graph(const struct pair *p, const char *text, struct doc_pass *pass)
{
    *pass = (struct doc_pass){.doc = p->doc,
                              .name = p->way->name,
                              .text = text,
                              .keep = p->way->expanded ? lower_keep_none : NULL,
                              .checks_values = !p->doc->shapes};
    doc_open(pass);
    if (!pass->graph) {
        doc_complain(p->doc, 0, "there is no graph (planned%s)", p->way->name);
        return false;
    }
    doc_collect_expectations(pass);
    if (p->way->all_outputs)
        doc_add_outputs(pass);
    return doc_has_values(pass) && doc_feed_variables(pass);
}

static void close_graph(struct doc_pass *pass)
{
    doc_clear_feeds(pass);
    if (pass->context)
        doc_close(pass);
}

static bool rewrite(const struct pair *p, struct doc_pass *pass, struct retained_tensor **made)
{
    return !p->way->rewritten || pass->graph->provisional || doc_rewrite_for_speed(pass, made);
}

static bool open_reference(struct pair *p)
{
    if (p->doc->rewrites_both && !rewrite(p, &p->before, &p->made_before))
        return false;
    p->run = run_new(p->before.graph);
    for (const struct node *n = p->before.graph->first; p->run && p->doc->scaled && n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            run_keep(p->run, &n->out[i]);
    if (p->run)
        run_set_threads(p->run, 1);
    return p->run && doc_feed_inputs(&p->before, p->run);
}

static void check_plan(struct pair *p)
{
    struct text why = {0};

    if (!plan_is_sound(p->plan, &why))
        complain(p, why.data);
    text_free(&why);
}

/* What a plan takes from it was used before. */
static struct pool *used_pool(void)
{
    struct pool *pool = pool_new();
    void *block = pool ? pool_take(pool, USED_BYTES) : NULL;

    if (block) {
        memset(block, 0x7f, USED_BYTES);
        pool_give(pool, block, USED_BYTES);
    }
    return pool;
}

static bool open_plan(struct pair *p)
{
    p->pool = used_pool();
    const struct plan_options options = {
        .backend = &backend_portable,
        .threads = p->doc->threads > 0 ? p->doc->threads : THREADS,
        .exact = p->doc->exact,
        .eager = p->way->rewritten,
        .pool = p->pool,
    };

    if (!rewrite(p, &p->now, &p->made))
        return false;
    p->plan = plan_new(p->now.graph, &options);
    if (p->plan)
        p->execution = execution_new(p->plan, p->now.context->diag, NULL);
    if (!p->execution) {
        complain(p, "there is no plan");
        return false;
    }
    check_plan(p);
    for (int i = 0; i < p->now.graph->ninput; i++)
        if (run_has_input(p->run, i))
            execution_set_input(p->execution, i, run_input(p->run, i));
    return true;
}

static void close_pair(struct pair *p)
{
    execution_free(p->execution);
    plan_free(p->plan);
    pool_free(p->pool);
    run_free(p->run);
    if (p->now.context)
        retained_tensors_free(p->now.context, p->made);
    if (p->before.context)
        retained_tensors_free(p->before.context, p->made_before);
    close_graph(&p->now);
    close_graph(&p->before);
}

/* --- comparing ------------------------------------------------------------------------------ */

static double largest_of(const struct tensor *tensor)
{
    double largest = 0;

    for (int64_t i = 0, count = shape_volume(&tensor->shape); i < count; i++)
        if (isfinite(tensor_item(tensor, i)))
            largest = fmax(largest, fabs(tensor_item(tensor, i)));
    return largest;
}

/* Integers that differ by no more than they may. */
static bool is_near(const struct pair *p, const struct tensor *found, const struct tensor *expected)
{
    const struct tolerance none = {0};

    return p->doc->apart > 0 && expected->dtype == DTYPE_INTEGER && found->data &&
           tensor_difference(found, expected, &none).max_absolute <= (double)p->doc->apart;
}

static enum corner_rule corner_rule(const struct pair *p)
{
    if (plan_shortens(p->plan))
        return CORNER_SPREADS;
    return p->doc->corners_change ? CORNER_CHANGES : CORNER_STAYS;
}

/* A complaint, empty if they agree. */
static struct text difference(const struct pair *p, const char *name, const struct tensor *found,
                              const struct tensor *expected, const struct tolerance *tolerance)
{
    struct text what = {0};
    bool agree;

    if (p->doc->corners) {
        text_add(&what, "'%s': ", name);
        agree = corners_agree(found, expected, tolerance, corner_rule(p), &what);
    } else {
        agree = same_items(name, found, expected, tolerance, &what) || is_near(p, found, expected);
    }
    if (agree)
        text_free(&what);
    return what;
}

static void compare(struct pair *p, const char *name, const struct value *value,
                    const struct tensor *found, const struct tensor *expected)
{
    double relative = doc_tolerance(&p->before, name), largest;

    if (!expected->data)
        return;
    largest =
        p->doc->scaled ? largest_on_the_way(p->before.graph, p->run, value) : largest_of(expected);
    const struct tolerance tolerance = {relative * fmax(1, largest), relative};
    struct text what = difference(p, name, found, expected, &tolerance);
    if (what.data)
        complain(p, what.data);
    text_free(&what);
}

static void compare_all(struct pair *p)
{
    const struct graph *before = p->before.graph, *now = p->now.graph;
    const struct source *s = before->variables.first, *t = now->variables.first;

    for (int i = 0; i < before->noutput; i++)
        compare(p, before->outputs[i].name, before->outputs[i].value,
                execution_result(p->execution, now->outputs[i].value),
                run_tensor(p->run, before->outputs[i].value));
    for (; !p->way->rewritten && s && t; s = s->next, t = t->next)
        compare(p, s->label, s->value, execution_variable(p->execution, t->value),
                run_variable(p->run, s->value));
}

/* What is updated shows in the second step only. */
static int steps_of(const struct pair *p)
{
    int steps = p->doc->steps;

    for (const struct node *n = p->before.graph->first; n; n = n->next)
        steps = steps < 2 && (n->op->traits & OP_EFFECT) ? 2 : steps;
    return steps;
}

static bool step(struct pair *p)
{
    if (!run_step(p->run))
        return false;
    if (!execution_step(p->execution)) {
        complain(p, "it cannot be run");
        return false;
    }
    compare_all(p);
    return true;
}

static void try_way(struct pair *p, const char *text)
{
    if (open_graph(p, text, &p->before) && open_reference(p) && open_graph(p, text, &p->now) &&
        open_plan(p))
        for (int i = 0, steps = steps_of(p); i < steps && step(p); i++)
            ;
    close_pair(p);
}

void doc_plan_text(struct doc *doc, const char *text, bool expanded)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct pair pair = {.doc = doc, .way = &ways[i]};
        if (ways[i].expanded == expanded)
            try_way(&pair, text);
    }
}

bool doc_run_planned(struct doc *doc)
{
    const char *text = doc->complaints.size > 0 ? NULL : doc_sound_part(doc);

    if (!text)
        return false;
    doc_plan_text(doc, text, false);
    if (!doc->keep_only && !doc->expand_all)
        doc_plan_text(doc, text, true);
    return doc->complaints.size == 0;
}
