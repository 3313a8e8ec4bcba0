/* doc_compute.c - feeds a graph, runs it and compares shapes and values; see doc.h */
#include "support/doc_pass.h"

#include "base/arena.h"
#include "exec/run.h"
#include "op/op.h"
#include "tensor/retained.h"

#include <string.h>
#include <strings.h>

/* A value of the graph and what it should be. */
struct expectation {
    struct expectation *next;
    int line;
    const char *name;
    struct value *value;
    struct doc_values values;
};

/* What an external or variable is fed with. */
struct feed {
    struct feed *next;
    int line;
    const char *name;
    struct doc_values values;
    struct tensor tensor; /* of a variable, while the graph runs */
};

DEFINE_APPEND(expectation)
DEFINE_APPEND(feed)

/* --- statements and values that marks belong to ---------------------------------------------- */

static const struct stmt *find_statement(const struct doc_pass *pass, const struct doc_mark *mark)
{
    const struct graph_decl *graph = pass->document ? pass->document->graph : NULL;
    const struct stmt *found = NULL;

    if (!graph)
        return NULL;
    for (const struct stmt *s = graph->body.first; s; s = s->next)
        if (s->target->span.begin < pass->base + mark->offset)
            found = s;
    return found;
}

static struct value *find_source(const struct source_list *list, const char *name)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s->value->name && strcmp(s->value->name, name) == 0)
            return s->value;
    return NULL;
}

static struct value *find_result(const struct node *node, const char *name)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (node->out[i].name && strcmp(node->out[i].name, name) == 0)
            return &node->out[i];
    return NULL;
}

static struct value *find_value(const struct graph *graph, const char *name)
{
    struct value *found = find_source(&graph->externals, name);

    found = found ? found : find_source(&graph->variables, name);
    found = found ? found : find_source(&graph->constants, name);
    for (const struct node *n = graph->first; n && !found; n = n->next)
        found = find_result(n, name);
    return found;
}

/* --- feeds ------------------------------------------------------------------------------------ */

static void add_feed(struct doc_pass *pass, const struct doc_mark *mark)
{
    const struct stmt *s = find_statement(pass, mark);
    struct feed *feed = arena_new_of(pass->doc->arena, struct feed);
    const char *at = mark->text;
    const char *wrong = doc_values_read(pass->doc->arena, &at, &feed->values);

    if (!s || s->target->kind != EXPR_NAME)
        wrong = "no definition before it";
    if (wrong) {
        doc_complain(pass->doc, mark->line, "'#<' has %s%s", wrong, pass->name);
        return;
    }
    feed->line = mark->line;
    feed->name = s->target->name;
    pass->feeds = feed_append(pass->feeds, feed);
}

void doc_collect_feeds(struct doc_pass *pass)
{
    for (const struct doc_mark *m = pass->doc->marks.first; m; m = m->next)
        if (m->kind == '<')
            add_feed(pass, m);
}

int doc_overrides(struct doc_pass *pass, struct shape_override **overrides)
{
    const struct doc *doc = pass->doc;
    int count = doc->nshapes;

    *overrides = arena_array_of(pass->context->arena, struct shape_override, count);
    if (doc->shapes) {
        memcpy(*overrides, doc->shapes, (size_t)count * sizeof **overrides);
        return count;
    }
    *overrides = arena_array_of(pass->context->arena, struct shape_override, pass->feeds.count);
    for (const struct feed *f = pass->feeds.first; f; f = f->next)
        if (f->values.has_shape)
            (*overrides)[count++] = (struct shape_override){f->name, f->values.shape};
    return count;
}

static int find_input(const struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->ninput; i++)
        if (strcmp(graph->inputs[i].name, name) == 0)
            return i;
    return -1;
}

/* NaN and infinities of filters would meet the zeros of borders, which only some kernels multiply.
 */
static bool is_filter(const struct value *value)
{
    enum { FILTER = 1 };

    for (const struct use *use = value->uses; use; use = use->next)
        if ((use->node->op->id == OP_conv || use->node->op->id == OP_deconv) &&
            use->node->in[FILTER].value == value)
            return true;
    return false;
}

static bool fill(struct doc_pass *pass, const struct feed *feed, struct tensor *tensor)
{
    const struct value *value = find_value(pass->graph, feed->name);
    const char *wrong = "no tensor to feed";

    if (value && value->kind != VALUE_RESULT && shape_known(value->shape) &&
        tensor_allocate(tensor, (enum dtype)value->dtype, value->shape))
        wrong = pass->doc->shapes ? NULL : doc_values_fill(&feed->values, tensor);
    if (!wrong && pass->doc->shapes)
        doc_values_repeat(&feed->values, tensor);
    if (!wrong && pass->doc->corners)
        corners_put(tensor, feed->name, pass->doc->seed,
                    is_filter(value) ? CORNERS_FINITE : pass->doc->corners);
    if (wrong)
        doc_complain(pass->doc, feed->line, "'#<' of '%s' has %s%s", feed->name, wrong, pass->name);
    return !wrong;
}

/* Variables of one label hold the same. */
static void share_labels(const struct source_list *variables)
{
    for (struct source *s = variables->first; s; s = s->next)
        for (const struct source *t = variables->first; t && !s->tensor; t = t->next)
            if (strcasecmp(s->label, t->label) == 0)
                s->tensor = t->tensor;
}

/* Those of fragments have no statement in the graph that a mark could feed. */
static bool all_fed(struct doc_pass *pass)
{
    bool ok = true;

    for (const struct source *s = pass->graph->variables.first; s; s = s->next) {
        if (!s->tensor)
            doc_complain(pass->doc, 0, "variable '%s' has no values to compute with%s", s->label,
                         pass->name);
        ok &= s->tensor != NULL;
    }
    return ok;
}

/* Variables need their tensors before a run is made. */
bool doc_feed_variables(struct doc_pass *pass)
{
    bool ok = true;

    for (struct feed *f = pass->feeds.first; f; f = f->next) {
        struct value *variable = find_source(&pass->graph->variables, f->name);
        if (!variable)
            continue;
        ok &= fill(pass, f, &f->tensor);
        variable->source->tensor = &f->tensor;
    }
    share_labels(&pass->graph->variables);
    return all_fed(pass) && ok;
}

bool doc_feed_inputs(struct doc_pass *pass, struct run *run)
{
    bool ok = true;

    for (struct feed *f = pass->feeds.first; f; f = f->next) {
        int index = find_input(pass->graph, f->name);
        struct tensor tensor = {0};
        if (index < 0 || !fill(pass, f, &tensor))
            ok &= index < 0;
        else
            run_set_input(run, index, &tensor);
        tensor_clear(&tensor);
    }
    for (int i = 0; pass->doc->shapes && i < pass->graph->ninput; i++) {
        const struct value *input = pass->graph->inputs[i].value;
        struct tensor zeros;
        if (!run_has_input(run, i) &&
            tensor_allocate(&zeros, (enum dtype)input->dtype, input->shape))
            run_set_input(run, i, &zeros);
    }
    return ok;
}

/* --- expectations ----------------------------------------------------------------------------- */

static void expect_name(struct doc_pass *pass, const struct expr *name, const struct doc_mark *mark,
                        const char **at)
{
    struct expectation *e = arena_new_of(pass->doc->arena, struct expectation);
    const char *wrong = doc_values_read(pass->doc->arena, at, &e->values);

    e->line = mark->line;
    e->name = name->name;
    e->value = find_value(pass->graph, name->name);
    if (!wrong && !e->values.has_shape)
        wrong = "no shape";
    if (wrong || !e->value)
        doc_complain(pass->doc, mark->line, "'#>' of '%s' has %s%s", name->name,
                     wrong ? wrong : "no tensor", pass->name);
    else
        pass->expectations = expectation_append(pass->expectations, e);
}

static void expect_target(struct doc_pass *pass, const struct expr *target,
                          const struct doc_mark *mark, const char **at)
{
    if (target->kind == EXPR_NAME) {
        expect_name(pass, target, mark, at);
        return;
    }
    for (const struct expr *e = target->items.first; e; e = e->next)
        expect_target(pass, e, mark, at);
}

static void expect_statement(struct doc_pass *pass, const struct doc_mark *mark)
{
    const struct stmt *s = find_statement(pass, mark);
    const char *at = mark->text;

    if (!s) {
        doc_complain(pass->doc, mark->line, "'#>' before the first statement%s", pass->name);
        return;
    }
    expect_target(pass, s->target, mark, &at);
    if (*at != '\0')
        doc_complain(pass->doc, mark->line, "'#>' has more tensors than results%s", pass->name);
}

/* The provisional dialect does not count trailing ones. */
static bool same_shape(const struct graph *graph, const struct shape *a, const struct shape *b)
{
    struct shape x = *a, y = *b;

    for (; graph->provisional && x.rank > y.rank && x.extent[x.rank - 1] == 1; x.rank--)
        ;
    for (; graph->provisional && y.rank > x.rank && y.extent[y.rank - 1] == 1; y.rank--)
        ;
    return shape_equal(&x, &y);
}

static void compare_shapes(struct doc_pass *pass)
{
    for (const struct expectation *e = pass->expectations.first; e; e = e->next)
        if (!same_shape(pass->graph, e->value->shape, &e->values.shape))
            doc_complain(pass->doc, e->line, "'%s' has shape %s, expected %s%s", e->name,
                         SHAPE_TEXT(e->value->shape), SHAPE_TEXT(&e->values.shape), pass->name);
}

static void compare_values(struct doc_pass *pass, const struct run *run)
{
    for (const struct expectation *e = pass->expectations.first; e; e = e->next) {
        struct text what = {0};
        if (e->values.count > 0 && same_shape(pass->graph, e->value->shape, &e->values.shape) &&
            !doc_values_compare(&e->values, run_tensor(run, e->value), &what))
            doc_complain(pass->doc, e->line, "'%s'%s%s", e->name, what.data, pass->name);
        text_free(&what);
    }
}

/* --- running ---------------------------------------------------------------------------------- */

static bool is_output(const struct graph *graph, const char *name)
{
    for (int i = 0; i < graph->noutput; i++)
        if (strcmp(graph->outputs[i].name, name) == 0)
            return true;
    return false;
}

void doc_add_outputs(struct doc_pass *pass)
{
    struct graph *graph = pass->graph;
    struct port *outputs = arena_array_of(pass->context->arena, struct port,
                                          graph->noutput + pass->expectations.count);

    memcpy(outputs, graph->outputs, (size_t)graph->noutput * sizeof *outputs);
    graph->outputs = outputs;
    for (const struct expectation *e = pass->expectations.first; e; e = e->next)
        if (!is_output(graph, e->name))
            outputs[graph->noutput++] = (struct port){.name = e->name, .value = e->value};
}

static void show(const struct doc_pass *pass, const struct run *run)
{
    const struct doc_watcher *watcher = pass->watcher;

    watcher->computed(watcher->to, pass->doc, pass->graph, run);
}

static void keep_ends(struct run *run, const struct graph *graph)
{
    for (int i = 0; i < graph->ninput; i++)
        run_keep(run, graph->inputs[i].value);
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->op->traits & OP_EFFECT)
            run_keep(run, &n->out[0]);
}

static void execute(struct doc_pass *pass)
{
    bool ok = false, rewrites = pass->watcher && pass->watcher->rewrites;
    int steps = pass->watcher ? 1 : pass->doc->steps;
    struct retained_tensor *kept = NULL;
    struct run *run = NULL;

    if (!rewrites)
        doc_add_outputs(pass);
    if (doc_feed_variables(pass) && (!rewrites || doc_rewrite_by_default(pass, &kept)))
        run = run_new(pass->graph);
    if (run)
        ok = doc_feed_inputs(pass, run);
    if (ok && rewrites) /* many graphs that are too small to be shared among threads */
        run_set_threads(run, 1);
    if (ok && pass->watcher)
        keep_ends(run, pass->graph);
    for (int i = 0; ok && i < steps; i++)
        ok = run_step(run);
    if (ok && pass->watcher)
        show(pass, run);
    else if (ok && pass->checks_values)
        compare_values(pass, run);
    run_free(run);
    doc_clear_feeds(pass);
    retained_tensors_free(pass->context, kept);
}

void doc_clear_feeds(struct doc_pass *pass)
{
    for (struct feed *f = pass->feeds.first; f; f = f->next)
        tensor_clear(&f->tensor);
}

bool doc_has_values(const struct doc_pass *pass)
{
    bool found = pass->feeds.count > 0 || pass->doc->shapes;

    for (const struct expectation *e = pass->expectations.first; e; e = e->next)
        found |= e->values.count > 0;
    return found;
}

void doc_collect_expectations(struct doc_pass *pass)
{
    for (const struct doc_mark *m = pass->doc->marks.first; pass->checks_values && m; m = m->next)
        if (m->kind == '>')
            expect_statement(pass, m);
}

double doc_tolerance(const struct doc_pass *pass, const char *name)
{
    double tolerance = DOC_TOLERANCE;

    for (const struct expectation *e = pass->expectations.first; e; e = e->next)
        if (strcmp(e->name, name) == 0)
            tolerance = e->values.tolerance;
    return tolerance;
}

void doc_compute(struct doc_pass *pass)
{
    doc_collect_expectations(pass);
    compare_shapes(pass);
    if (doc_has_values(pass))
        execute(pass);
}
