/* quantize_run.c - graphs that are run on samples, and what is seen there */
#include "api/quantize.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "ir/graph_edit.h"
#include "op/op.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- graphs ---------------------------------------------------------------------------------- */

struct graph *quantizing_copy(const struct quantizing *q, struct value *const **value)
{
    struct graph *copy = graph_copy(q->graph);

    assert(copy->value_count == q->graph->value_count);
    *value = graph_values(copy); /* in a fresh copy, in the order of their ids */
    return copy;
}

void graph_add_outputs(struct graph *graph, struct value *const *value, int count)
{
    struct port *ports = arena_array_of(graph->context->arena, struct port, graph->noutput + count);

    for (int i = 0; i < graph->noutput + count; i++)
        ports[i] = i < graph->noutput
                       ? graph->outputs[i]
                       : (struct port){.name = "", .value = value[i - graph->noutput]};
    graph->outputs = ports;
    graph->noutput += count;
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool sample_error(const struct quantizing *q, const struct nnefc_run *run, int sample,
                         const char *input, const char *why)
{
    struct diag *diag = q->model->context->diag;
    const bool named = run->note;

    diag_set_note(diag, run->note);
    if (named)
        diag_file_error(diag, NULL, DIAG_SAMPLE, "a sample of '%s' %s", input, why);
    else
        diag_file_error(diag, NULL, DIAG_SAMPLE, "sample %d of '%s' %s", sample, input, why);
    diag_set_note(diag, NULL);
    return diag_help(diag, "leave out the sample, for it tells nothing of those that are to come.");
}

/* The first item that is no finite number, and where it is; NULL: there is none. */
static const char *find_infinite(const struct quantizing *q, const struct tensor *tensor)
{
    int64_t at = 0;

    if (tensor_is_finite(tensor))
        return NULL;
    while (isfinite(tensor_item(tensor, at)))
        at++;
    const double item = tensor_item(tensor, at);
    struct shape index = tensor->shape; /* the coordinates, written like extents */
    for (int axis = index.rank - 1; axis >= 0; axis--) {
        index.extent[axis] = at % tensor->shape.extent[axis];
        at /= tensor->shape.extent[axis];
    }
    return text_format(q->model->context->arena, "is %g at %s, expected finite numbers", item,
                       SHAPE_TEXT(&index));
}

/* All inputs are there, and are finite; not all items are 0. */
static bool check_sample(const struct quantizing *q, const struct nnefc_run *run, int sample)
{
    bool zero = true;

    for (int i = 0; i < q->graph->ninput; i++) {
        const struct tensor *tensor = run_input(run->run, i);
        const char *name = q->graph->inputs[i].name;
        if (!tensor->data)
            return run_miss_input(run->run, i);
        const char *infinite = find_infinite(q, tensor);
        if (infinite)
            return sample_error(q, run, sample, name, infinite);
        for (int64_t k = 0, count = shape_volume(&tensor->shape); k < count && zero; k++)
            zero = tensor_item(tensor, k) == 0;
    }
    return !zero || q->graph->ninput == 0 ||
           sample_error(q, run, sample, q->graph->inputs[0].name, "is 0 everywhere");
}

static bool step(struct quantizing *q, struct nnefc_run *run)
{
    if (api_run_step(run) != NNEFC_OK)
        return false;
    q->done++;
    q->total = q->total < q->done ? q->done : q->total;
    model_progress(q->model, NNEFC_WORK_QUANTIZE, q->done, q->total);
    return true;
}

static bool feed(struct quantizing *q, struct nnefc_run *run, int sample)
{
    return q->how.feed(q->how.user, sample, run) == NNEFC_OK && check_sample(q, run, sample);
}

/* --- ranges ---------------------------------------------------------------------------------- */

/* Values whose items are looked at: those that layers read. */
struct look {
    struct value **value; /* in the copy */
    uint32_t *id;         /* in the graph */
    int *group;           /* -1: its range is not looked for */
    int count;
};

/* By value id: a layer reads it whose weights may be adapted. */
static bool *find_adapting(const struct quantizing *q)
{
    bool *reads = arena_array_of(q->model->context->arena, bool, q->graph->value_count);

    for (int i = 0; i < q->plan->layers && q->how.rounding != NNEFC_ROUNDING_NEAREST; i++)
        if (quantize_adapts(&q->plan->layer[i]))
            reads[q->plan->layer[i].node->in[0].value->id] = true;
    return reads;
}

static struct look find_look(const struct quantizing *q, struct value *const *value)
{
    struct arena *arena = q->model->context->arena;
    const bool *adapting = find_adapting(q);
    struct look look = {arena_array_of(arena, struct value *, q->graph->value_count),
                        arena_array_of(arena, uint32_t, q->graph->value_count),
                        arena_array_of(arena, int, q->graph->value_count), 0};

    for (uint32_t i = 0; i < q->graph->value_count; i++) {
        const bool ranges = q->plan->direct[i] && q->plan->group_of[i] >= 0;
        if (!ranges && !adapting[i])
            continue;
        look.value[look.count] = value[i];
        look.id[look.count] = i;
        look.group[look.count++] = ranges ? q->plan->group_of[i] : -1;
    }
    return look;
}

static bool begin_moments(struct quantizing *q)
{
    bool ok = true;

    q->moments = arena_array_of(q->model->context->arena, struct moments, q->plan->layers + 1);
    for (int i = 0; i < q->plan->layers && ok && q->how.rounding != NNEFC_ROUNDING_NEAREST; i++)
        ok = !quantize_adapts(&q->plan->layer[i]) ||
             quantize_moments_begin(&q->plan->layer[i], &q->moments[i]);
    return ok;
}

static bool lacks_memory(const struct quantizing *q)
{
    return diag_file_error(q->model->context->diag, NULL, DIAG_RUN_MEMORY,
                           "there is not enough memory for samples of %d tensors",
                           q->plan->groups > q->plan->layers ? q->plan->groups : q->plan->layers);
}

static bool begin_observing(struct quantizing *q, const struct look *look)
{
    int64_t *total = arena_array_of(q->model->context->arena, int64_t, q->plan->groups + 1);

    for (int i = 0; i < look->count; i++)
        if (look->group[i] >= 0)
            total[look->group[i]] += shape_volume(look->value[i]->shape) * q->how.samples;
    q->observed = arena_array_of(q->model->context->arena, struct observed, q->plan->groups + 1);
    for (int i = 0; i < q->plan->groups; i++)
        if (!observed_begin(&q->observed[i], total[i]))
            return lacks_memory(q);
    return begin_moments(q) || lacks_memory(q);
}

/* The results of a step, or the parameter itself. */
static const struct tensor *seen(const struct quantizing *q, const struct nnefc_run *run,
                                 const struct look *look, int index)
{
    const struct graph *graph = graph_of_run(run->run);

    if (look->value[index]->kind != VALUE_EXTERNAL)
        return run_output(run->run, q->graph->noutput + index);
    for (int i = 0; i < graph->ninput; i++)
        if (graph->inputs[i].value == look->value[index])
            return run_input(run->run, i);
    return NULL;
}

/* Of the layers that read that value.  False: no memory. */
static bool add_moments(const struct quantizing *q, const struct tensor *tensor, uint32_t id)
{
    enum { ROWS_MOST = 4096 }; /* of all samples: some times what a part has of columns */
    const int64_t most = (ROWS_MOST + q->how.samples - 1) / q->how.samples;
    bool ok = true;

    for (int i = 0; i < q->plan->layers && ok; i++)
        if (q->moments[i].sums && q->plan->layer[i].node->in[0].value->id == id)
            ok = quantize_moments_add(&q->plan->layer[i], &q->moments[i], tensor, most);
    return ok;
}

static bool observe_step(struct quantizing *q, const struct nnefc_run *run, const struct look *look)
{
    for (int i = 0; i < look->count; i++) {
        const struct tensor *tensor = seen(q, run, look, i);
        if (tensor && !add_moments(q, tensor, look->id[i]))
            return lacks_memory(q);
        if (tensor && look->group[i] >= 0 &&
            !observed_add(&q->observed[look->group[i]], tensor->data, shape_volume(&tensor->shape)))
            return diag_file_error(q->model->context->diag, NULL, DIAG_SAMPLE,
                                   "tensor '%s' is not finite with this sample, before the model "
                                   "is quantized",
                                   VALUE_TEXT(look->value[i]));
    }
    return true;
}

bool quantizing_observe(struct quantizing *q)
{
    struct value *const *value;
    struct graph *graph = quantizing_copy(q, &value);
    const struct look look = find_look(q, value);

    /* A parameter cannot be a result: something else stands in its place, and is not looked at. */
    struct value **results = arena_array_of(graph->context->arena, struct value *, look.count + 1);
    for (int i = 0; i < look.count; i++)
        results[i] =
            look.value[i]->kind == VALUE_EXTERNAL ? graph->outputs[0].value : look.value[i];
    graph_add_outputs(graph, results, look.count);
    struct nnefc_run *run = run_new_of(q->model, graph, q->how.threads);
    bool ok = run && begin_observing(q, &look);
    for (int i = 0; i < q->how.samples && ok; i++)
        ok = feed(q, run, i) && step(q, run) && observe_step(q, run, &look);
    for (int i = 0; i < q->plan->groups && ok; i++)
        observed_end(&q->observed[i]);
    nnefc_run_free(run);
    return ok;
}

/* --- biases ---------------------------------------------------------------------------------- */

static float **correction_at(const struct quantizing *q, struct quantize_layer *layer)
{
    return &layer->correction[quantize_group_of(q->plan, layer)->wide];
}

/* Add the means of a step to the corrections. */
static void add_corrections(struct quantizing *q, const struct nnefc_run *run, const int *layer,
                            int count)
{
    for (int i = 0; i < count; i++) {
        struct quantize_layer *l = &q->plan->layer[layer[i]];
        const float *mean = run_output(run->run, q->graph->noutput + i)->data;
        for (int64_t c = 0; c < l->channels; c++)
            (*correction_at(q, l))[c] += mean[c] / (float)q->how.samples;
    }
}

bool quantizing_correct(struct quantizing *q)
{
    struct arena *arena = q->model->context->arena;
    struct value *const *value;
    struct graph *graph = quantizing_copy(q, &value);
    struct value **difference = arena_array_of(arena, struct value *, q->plan->layers + 1);
    int *layer = arena_array_of(arena, int, q->plan->layers + 1), count = 0;

    q->plan->correct = false;
    if (!quantize_add_differences(q->plan, graph, &q->kept, difference))
        return false;
    for (int i = 0; i < q->plan->layers; i++) {
        struct quantize_layer *l = &q->plan->layer[i];
        if (!l->enabled)
            continue;
        *correction_at(q, l) = NULL;
        if (!difference[i])
            continue;
        *correction_at(q, l) = arena_array_of(arena, float, l->channels);
        difference[count] = difference[i];
        layer[count++] = i;
    }
    graph_add_outputs(graph, difference, count);
    struct nnefc_run *run = run_new_of(q->model, graph, q->how.threads);
    bool ok = run;
    for (int i = 0; i < q->how.samples && ok; i++) {
        ok = feed(q, run, i) && step(q, run);
        if (ok)
            add_corrections(q, run, layer, count);
    }
    nnefc_run_free(run);
    q->plan->correct = true;
    return ok;
}

/* --- the model as it was ------------------------------------------------------------------------
 */

int quantizing_checks(const struct quantizing *q)
{
    return q->how.checks > 0 ? q->how.checks : q->how.samples;
}

void reference_free(const struct quantizing *q, struct reference *reference)
{
    const int64_t count = reference->results ? (int64_t)quantizing_checks(q) * q->measures : 0;

    for (int64_t i = 0; i < count; i++)
        tensor_clear(&reference->results[i]);
    nnefc_run_free(reference->run);
    *reference = (struct reference){0};
}

/* A run that has these values as results behind those of the graph. */
static struct nnefc_run *run_measured(struct quantizing *q, const struct measured *measured,
                                      int count, bool quantized)
{
    struct value *const *value, **results;
    struct graph *graph = quantizing_copy(q, &value);

    results = arena_array_of(graph->context->arena, struct value *, count + 1);
    for (int i = 0; i < count; i++)
        results[i] = value[measured[i].value];
    graph_add_outputs(graph, results, count);
    if (quantized && !quantize_apply(q->plan, graph, &q->kept))
        return NULL;
    return run_new_of(q->model, graph, q->how.threads);
}

/* Results of all samples are kept, if that takes little memory. */
static void begin_results(struct quantizing *q)
{
    enum { KEPT_MOST = 128 << 20 };
    const int64_t count = quantizing_checks(q);
    int64_t bytes = 0;

    for (int i = 0; i < q->measures; i++)
        bytes += (int64_t)tensor_bytes(run_output(q->reference.run->run, q->graph->noutput + i));
    if (bytes <= num_min(KEPT_MOST, context_budget(q->model->context) / 4) / count)
        q->reference.results =
            arena_array_of(q->model->context->arena, struct tensor, (size_t)(count * q->measures));
}

static bool keep_result(struct quantizing *q, int number, int measure, const struct tensor *result)
{
    struct tensor *kept = &q->reference.results[number * q->measures + measure];

    if (!tensor_allocate(kept, DTYPE_SCALAR, &result->shape))
        return diag_file_error(q->model->context->diag, NULL, DIAG_RUN_MEMORY,
                               "there is not enough memory for results of %d samples",
                               quantizing_checks(q));
    memcpy(kept->data, result->data, tensor_bytes(result));
    return true;
}

/* Compute the results of one sample to measure with. */
static bool reference_step(struct quantizing *q, int number, int sample)
{
    struct reference *reference = &q->reference;

    if (!feed(q, reference->run, sample) || !step(q, reference->run))
        return false;
    if (number == 0)
        begin_results(q);
    for (int i = 0; i < q->measures; i++) {
        const struct tensor *result = run_output(reference->run->run, q->graph->noutput + i);
        if (!tensor_is_finite(result))
            return diag_file_error(q->model->context->diag, NULL, DIAG_SAMPLE,
                                   "result '%s' is not finite, before the model is quantized",
                                   q->measured[i].name);
        if (reference->results && !keep_result(q, number, i, result))
            return false;
    }
    reference->count += reference->results != NULL;
    return true;
}

/* --- differences ----------------------------------------------------------------------------- */

static int64_t greatest(const float *row, int64_t count)
{
    int64_t at = 0;

    for (int64_t i = 1; i < count; i++)
        at = row[i] > row[at] ? i : at;
    return at;
}

static void compare(struct sums *sums, const struct tensor *reference, const struct tensor *got)
{
    const float *a = reference->data, *b = got->data;
    const int64_t count = shape_volume(&reference->shape);
    const int64_t row = reference->shape.rank == 2 ? reference->shape.extent[1] : 0;
    const double before = sums->reference;

    for (int64_t i = 0; i < count; i++) {
        const double x = (double)a[i], y = (double)b[i];
        sums->reference += x * x;
        sums->largest = fmax(sums->largest, fabs(x));
        if (!isfinite(y)) {
            sums->off = sums->difference = HUGE_VAL;
            continue;
        }
        sums->got += y * y;
        sums->product += x * y;
        sums->off += (x - y) * (x - y);
        sums->difference = fmax(sums->difference, fabs(x - y));
    }
    sums->most = fmax(sums->most, sums->reference - before);
    for (int64_t i = 0; i + row <= count && row > 1; i += row, sums->rows++)
        sums->same += greatest(a + i, row) == greatest(b + i, row);
}

/* The sample of that number among those to measure with. */
static int check_at(const struct quantizing *q, int number)
{
    return number + (q->how.checks > 0 ? q->how.samples : 0);
}

/* Step a run on what another one has read. */
static bool step_after(struct quantizing *q, struct nnefc_run *run, const struct nnefc_run *other)
{
    for (int i = 0; i < q->graph->ninput; i++)
        if (!api_run_set_input(run, i, tensor_handle(run_input(other->run, i))))
            return false;
    return step(q, run);
}

/* The quantized model on one sample, after the other where its results are not known. */
static bool measure_step(struct quantizing *q, struct nnefc_run *run, int number, struct sums *sums)
{
    const int sample = check_at(q, number);

    if (number < q->reference.count
            ? !feed(q, run, sample) || !step(q, run)
            : !reference_step(q, number, sample) || !step_after(q, run, q->reference.run))
        return false;
    for (int i = 0; i < q->measures; i++) {
        const struct tensor *result =
            q->reference.results ? &q->reference.results[number * q->measures + i]
                                 : run_output(q->reference.run->run, q->graph->noutput + i);
        compare(&sums[i], result, run_output(run->run, q->graph->noutput + i));
    }
    return true;
}

/* Does the model have a state, which goes on from sample to sample? */
static bool has_state(const struct quantizing *q)
{
    const struct node *n = q->graph->first;

    while (n && !(n->op->traits & OP_EFFECT))
        n = n->next;
    return n;
}

/* A run that computes what is measured, from the state that the model has; it is there while
 * results are not known. */
static bool begin_reference(struct quantizing *q)
{
    struct reference *reference = &q->reference;

    if (reference->count == quantizing_checks(q))
        return true;
    if (reference->run && !has_state(q))
        return true;
    nnefc_run_free(reference->run);
    reference->run = run_measured(q, q->measured, q->measures, false);
    return reference->run;
}

bool quantizing_measure(struct quantizing *q, struct sums *sums, double *snr)
{
    const int count = quantizing_checks(q);
    double sum = 0;

    for (int i = 0; i < q->measures; i++)
        sums[i] = (struct sums){0};
    if (!begin_reference(q))
        return false;
    struct nnefc_run *run = run_measured(q, q->measured, q->measures, true);
    bool ok = run;
    for (int i = 0; i < count && ok; i++)
        ok = measure_step(q, run, i, sums);
    nnefc_run_free(run);
    if (q->reference.count == count) {
        nnefc_run_free(q->reference.run);
        q->reference.run = NULL;
    }
    for (int i = 0; i < q->measures; i++)
        sum += quantized_decibels(sums[i].reference, sums[i].off);
    *snr = sum / q->measures;
    return ok;
}

bool quantizing_measure_along(struct quantizing *q, double *here)
{
    struct arena *arena = q->model->context->arena;
    const int count = q->plan->layers;
    struct measured *result = arena_array_of(arena, struct measured, count + 1);
    struct sums *sums = arena_array_of(arena, struct sums, count + 1);

    for (int i = 0; i < count; i++)
        result[i].value = q->plan->layer[i].node->out[0].id;
    struct nnefc_run *before = run_measured(q, result, count, false);
    struct nnefc_run *run = before ? run_measured(q, result, count, true) : NULL;
    bool ok = run;
    for (int i = 0; i < quantizing_checks(q) && ok; i++) {
        ok = feed(q, before, check_at(q, i)) && step(q, before) && step_after(q, run, before);
        for (int k = 0; k < count && ok; k++)
            compare(&sums[k], run_output(before->run, q->graph->noutput + k),
                    run_output(run->run, q->graph->noutput + k));
    }
    for (int i = 0; i < count; i++)
        here[i] = quantized_decibels(sums[i].reference, sums[i].off);
    nnefc_run_free(before);
    nnefc_run_free(run);
    return ok;
}
