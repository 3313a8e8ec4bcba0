/*
 * fuzz_run.c - the default backend computes what the reference computes, of whatever a text makes
 *
 * The text is checked, lowered, rewritten by passes, planned and run.  Where rounding errors grow,
 * nobody knows a tolerance, so the reference runs again with some noise on each result.  An item
 * that noise moves may differ as much; one that it makes something else, such as NaN, tells
 * nothing.
 */
#include "fuzz/text_target.h"

#include "base/arena.h"
#include "diag/diag.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/plan.h"
#include "exec/random.h"
#include "exec/run.h"
#include "ir/graph_edit.h"
#include "lower/lower.h"
#include "op/op.h"
#include "pass/pass.h"
#include "support/corners.h"
#include "support/same_graph.h"
#include "tensor/compare.h"
#include "tensor/retained.h"

#include <math.h>

enum { MAX_NODES = 24, NOISES = 16 };

static const double relative = 1e-4;

/* --- what numbers there are ------------------------------------------------------------------ */

/*
 * `fed`: inputs get NaN and infinities.  Among results and constants are `extreme` numbers, finite
 * but so large or small that another order of the same products leaves their range, and `endless`
 * ones, which are not finite.
 */
struct survey {
    bool fed, extreme, endless;
};

static void look_at(const struct tensor *tensor, struct survey *survey)
{
    const double most = 1e12;

    for (int64_t i = 0, n = tensor->data ? shape_volume(&tensor->shape) : 0; i < n; i++) {
        double size = fabs(tensor_item(tensor, i));
        survey->endless |= !isfinite(size);
        survey->extreme |= isfinite(size) && (size > most || (size > 0 && size < 1 / most));
    }
}

static void look_at_all(const struct graph *graph, const struct run *run, struct survey *survey)
{
    for (const struct node *n = graph->first; n; n = n->next) {
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->in[i].value->kind != VALUE_RESULT && n->in[i].value->source->tensor)
                look_at(n->in[i].value->source->tensor, survey);
        for (uint32_t i = 0; i < n->nout; i++)
            if (n->out[i].dtype == DTYPE_SCALAR)
                look_at(run_tensor(run, &n->out[i]), survey);
    }
}

/* --- the reference --------------------------------------------------------------------------- */

/* With inputs; it keeps the results of all nodes.  NULL if it cannot be run. */
static struct run *new_run(const struct graph *graph, const struct survey *survey)
{
    struct run *run = run_new(graph);

    if (!run)
        return NULL;
    run_set_threads(run, 1);
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            run_keep(run, &n->out[i]);
    if (!fuzz_feed(run, graph)) {
        run_free(run);
        return NULL;
    }
    for (int i = 0; survey->fed && i < graph->ninput; i++) {
        struct tensor input = *run_input(run, i);
        corners_put(&input, graph->inputs[i].name, 1, CORNERS_LARGE);
    }
    return run;
}

/* Half of the runs have noise on zeros, too, as sums have that should be 0. */
static void add_noise(struct random *random, const struct tensor *tensor, bool zeros)
{
    const double noise = 0x1p-16, floor = 0x1p-20;
    float *item = tensor->dtype == DTYPE_SCALAR ? tensor->data : NULL;
    double largest = 0;

    for (int64_t i = 0, n = shape_volume(&tensor->shape); item && i < n; i++)
        if (isfinite(item[i]))
            largest = fmax(largest, fabs((double)item[i]));
    for (int64_t i = 0, n = shape_volume(&tensor->shape); item && i < n; i++)
        item[i] = (float)((double)item[i] * (1 + random_between(random, -noise, noise)) +
                          (zeros ? random_between(random, -floor, floor) * largest : 0));
}

static struct run *run_with_noise(const struct graph *graph, const struct survey *survey,
                                  int number)
{
    struct random random = random_stream((uint64_t)number, "noise");
    struct run *run = new_run(graph, survey);

    for (const struct node *n = graph->first; run && n; n = n->next) {
        if (n->nout == 0 || !run_until(run, &n->out[0]))
            continue;
        for (uint32_t i = 0; i < n->nout; i++)
            if (run_tensor(run, &n->out[i])->data)
                add_noise(&random, run_tensor(run, &n->out[i]), number % 2);
    }
    if (run && run_step(run))
        return run;
    run_free(run);
    return NULL;
}

/* --- comparing ------------------------------------------------------------------------------- */

/* A result of the plan and that of the reference. */
struct pair {
    const struct survey *survey;
    const struct value *value;
    const struct tensor *found, *expected;
    struct tolerance tolerance;
    bool *loose;  /* items that tell nothing */
    double moved; /* by noise, the most */
};

static bool agrees(const struct pair *pair, int64_t i)
{
    double found = tensor_item(pair->found, i), expected = tensor_item(pair->expected, i);

    return pair->found->dtype == DTYPE_SCALAR ? item_agrees(found, expected, &pair->tolerance)
                                              : found == expected;
}

static bool all_agree(const struct pair *pair)
{
    bool ok = true;

    for (int64_t i = 0; i < shape_volume(&pair->expected->shape); i++)
        ok = ok && (pair->loose[i] || agrees(pair, i));
    return ok;
}

static void move(struct pair *pair, const struct tensor *noisy)
{
    for (int64_t i = 0; i < shape_volume(&pair->expected->shape); i++) {
        double error = item_error(tensor_item(noisy, i), tensor_item(pair->expected, i));
        if (!isfinite(error) || (error > 0 && noisy->dtype != DTYPE_SCALAR))
            pair->loose[i] = true;
        else
            pair->moved = fmax(pair->moved, error);
    }
}

static void compare(struct pair *pair, const struct graph *graph, struct run *run)
{
    enum { MORE = 64 };
    struct text what = {0};
    double largest = largest_on_the_way(graph, run, pair->value);
    const int64_t volume = shape_volume(&pair->expected->shape);

    pair->tolerance = (struct tolerance){relative * fmax(1, largest), relative};
    pair->loose = arena_array_of(graph->context->arena, bool, volume);
    for (int i = 0; i < NOISES && !all_agree(pair); i++) {
        struct run *noisy = run_with_noise(graph, pair->survey, i);
        if (noisy)
            move(pair, run_tensor(noisy, pair->value));
        pair->tolerance.absolute = relative * fmax(1, largest) + MORE * pair->moved;
        run_free(noisy);
    }
    if (!all_agree(pair))
        same_items("an output", pair->found, pair->expected, &pair->tolerance, &what);
    fuzz_expect(what.size == 0, what.data);
}

/* --- the plan -------------------------------------------------------------------------------- */

static bool rewrite(struct graph *graph, struct retained_tensor **made)
{
    bool *enabled = arena_array_of(graph->context->arena, bool, pass_count());
    const struct pass_options options = {
        .enabled = enabled, .rounds = PASS_ROUNDS, .growth = PASS_GROWTH};
    struct pass_report report;

    for (int i = 0; i < pass_count(); i++)
        enabled[i] = pass_at(i).for_plans;
    return graph->provisional || passes_run(graph, &options, made, &report);
}

/* The last report, of something that the reference does, is that a limit is too small for it. */
static bool is_limited(const struct diag *diag)
{
    int count = diag_count(diag);
    enum diag_code code = count > 0 ? diag_at(diag, count - 1).code : DIAG_SYNTAX;

    return code == DIAG_WORK_LIMIT || code == DIAG_VOLUME_LIMIT || code == DIAG_MEMORY_LIMIT ||
           code == DIAG_RUN_MEMORY;
}

/* Numbers that are not finite go other ways in a graph that was rewritten, which `judge` is then.
 */
static void run_plan(const struct graph *fast, const struct graph *judge, struct run *run,
                     const struct survey *survey)
{
    const struct plan_options options = {
        .backend = &backend_portable, .threads = 1, .exact = survey->endless};
    struct plan *plan = plan_new(fast, &options);
    struct execution *execution = plan ? execution_new(plan, fast->context->diag, NULL) : NULL;

    for (int i = 0; execution && i < fast->ninput; i++)
        execution_set_input(execution, i, run_input(run, i));
    bool ok = execution && execution_step(execution);
    fuzz_expect(ok || is_limited(fast->context->diag), "the plan computes what the reference does");
    for (int i = 0; ok && !survey->extreme && i < fast->noutput; i++) {
        struct pair pair = {.survey = survey,
                            .value = judge->outputs[i].value,
                            .found = execution_result(execution, fast->outputs[i].value),
                            .expected = run_tensor(run, judge->outputs[i].value)};
        if (pair.expected->data)
            compare(&pair, judge, run);
    }
    execution_free(execution);
    plan_free(plan);
}

static void run_both(struct graph *graph, bool fed)
{
    struct survey survey = {.fed = fed};
    struct graph *fast = graph_copy(graph);
    struct retained_tensor *made = NULL;
    struct run *run = new_run(graph, &survey);

    if (run && run_step(run) && rewrite(fast, &made)) {
        look_at_all(graph, run, &survey);
        survey.endless |= fed;
        const struct graph *judge = survey.endless ? fast : graph;
        if (survey.endless) {
            run_free(run);
            run = new_run(fast, &survey);
        }
        if (run && (!survey.endless || run_step(run)))
            run_plan(fast, judge, run, &survey);
    }
    run_free(run);
    retained_tensors_free(graph->context, made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_text document = {(const char *)data, size};
    struct context *c = fuzz_context();
    struct lower_options options = {.keep = size % 2 ? lower_keep_none : NULL};
    struct graph *graph = fuzz_lower(c, &document, NULL, &options);
    struct tensor *weights;

    if (graph && graph->node_count <= MAX_NODES) {
        int count = graph->variables.count;
        if (fuzz_weights(graph, &weights))
            run_both(graph, size / 2 % 4 == 3);
        fuzz_weights_clear(weights, count);
    }
    fuzz_context_free(c);
    return 0;
}
