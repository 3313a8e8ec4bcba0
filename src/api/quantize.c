/*
 * quantize.c - a model of numbers becomes one of integers (quantize.h)
 *
 * Several ways are tried, each executed in integers on samples that did not decide of ranges.  The
 * best wins; of those that are nearly as good the one that does least.
 */
#include "api/quantize.h"

#include "api/weights.h"
#include "base/arena.h"
#include "base/text.h"
#include "ir/graph_edit.h"
#include "op/op.h"
#include "pass/bounds.h"
#include "pass/quantized.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double nearly = 0.2; /* dB */
static const double most_snr = 200;

/* --- what is asked for ----------------------------------------------------------------------- */

/* Is the word one of those of a list with ',' between? */
static bool lists_word(const char *list, const char *word)
{
    for (size_t size; list && word && *list; list += size + (list[size] == ',')) {
        size = strcspn(list, ",");
        if (strlen(word) == size && memcmp(list, word, size) == 0)
            return true;
    }
    return false;
}

static bool keeps_layer(const void *data, const struct node *node)
{
    const struct quantizing *q = data;

    return lists_word(q->how.keep, node->out[0].name) || lists_word(q->how.keep_op, node->op->name);
}

/* Each word of --keep and --keep-op means a layer. */
static bool check_words(const struct quantizing *q, const char *list, bool operations)
{
    bool ok = true;

    for (size_t size; list && *list; list += size + (list[size] == ',')) {
        size = strcspn(list, ",");
        const char *word = arena_strndup(q->model->context->arena, list, size);
        bool found = false;
        for (int i = 0; i < q->plan->layers && !found; i++) {
            const struct node *node = q->plan->layer[i].node;
            found = lists_word(word, operations ? node->op->name : node->out[0].name);
        }
        if (!found)
            ok = misuse(q->model, "there is no layer '%s' to keep%s", word,
                        operations ? ", by its operation" : "");
    }
    return ok;
}

static bool settings_fit(const struct nnefc_model *model, const struct nnefc_quantize *how)
{
    if (!how->feed || how->samples < 1 || how->checks < 0 || how->checks > INT32_MAX - how->samples)
        return misuse(model, "quantizing a model takes at least one sample of its inputs");
    if ((int)how->range < NNEFC_RANGE_AUTO || how->range > NNEFC_RANGE_MSE ||
        (int)how->correct_bias < NNEFC_CHOICE_AUTO || how->correct_bias > NNEFC_CHOICE_NO)
        return misuse(model, "a range is found by no such rule, or a choice is none");
    if (how->percentile != 0 && !(how->percentile > 50 && how->percentile <= 100))
        return misuse(model, "a percentile of a range is above 50 and at most 100");
    if (!(how->budget >= 0 && how->budget <= 100) || !isfinite(how->min_snr))
        return misuse(model, "a budget is from 0 to 100 percent, and an SNR is finite");
    return true;
}

/* A few samples tell little of what else may come. */
static void warn_of_few(const struct quantizing *q)
{
    enum { FEW = 16 };
    const int count = q->how.samples + q->how.checks;

    if (count < FEW)
        diag_file_warning(
            q->model->context->diag, NULL, WARNING_FEW_SAMPLES,
            "the number of samples is %d, expected at least %d: other inputs may be beyond "
            "their ranges",
            count, FEW);
}

/* A range of one number tells nothing of what else may come.  Each tensor is named once. */
static void warn_of_constants(const struct quantizing *q)
{
    bool *told = arena_array_of(q->model->context->arena, bool, q->plan->groups + 1);

    for (int i = 0; i < q->plan->layers; i++) {
        const struct value *x = q->plan->layer[i].node->in[0].value;
        const int group = q->plan->group_of[x->id];
        const struct observed *observed = &q->observed[group];
        if (q->plan->layer[i].kept || told[group] || observed->low < observed->high)
            continue;
        told[group] = true;
        diag_warning(q->model->context->diag, value_span(x), WARNING_CONSTANT_RANGE,
                     "tensor '%s' is %.9g in all samples: its range is that of this number",
                     VALUE_TEXT(x), (double)observed->low);
    }
}

/* --- where results are measured -------------------------------------------------------------- */

/* An operation behind which small differences look large, or large ones small. */
static bool hides_differences(const struct node *node, bool last)
{
    switch ((int)node->op->id) {
    case OP_softmax:
    case OP_sigmoid:
        return last;
    case OP_argmax_reduce:
    case OP_argmin_reduce:
    case OP_lt:
    case OP_gt:
    case OP_le:
    case OP_ge:
    case OP_eq:
    case OP_ne:
    case OP_round:
    case OP_floor:
    case OP_ceil:
    case OP_sign:
        return true;
    default:
        return false;
    }
}

static bool passes_on(const struct node *node)
{
    return node_moves_one(node) || node->op->id == OP_cast;
}

/* Does the value come from a comparison, as a mask does? */
static bool is_mask(const struct value *value)
{
    while (value->kind == VALUE_RESULT && passes_on(value->producer))
        value = value->producer->in[0].value;
    return value->dtype == DTYPE_LOGICAL && value->kind == VALUE_RESULT &&
           hides_differences(value->producer, false);
}

/* The operand that a mask leaves something of; -1: the operation is no such. */
static int masked_operand(const struct node *node)
{
    if (node->op->id == OP_select)
        return is_mask(node->in[0].value) ? 1 : -1;
    if (node->op->id != OP_mul)
        return -1;
    return is_mask(node->in[1].value) ? 0 : is_mask(node->in[0].value) ? 1 : -1;
}

/* What goes into the operations that hide differences, if the result comes from one. */
static const struct value *before_hiding(const struct value *value)
{
    const struct value *found = value, *at = value;
    bool last = true;

    while (at->kind == VALUE_RESULT) {
        const struct node *node = at->producer;
        const int masked = masked_operand(node);
        const bool hides = masked >= 0 || hides_differences(node, last);
        if (!hides && !passes_on(node))
            break;
        at = node->in[masked >= 0 ? masked : 0].value;
        found = hides ? at : found;
        last &= masked >= 0 || !hides;
    }
    return found;
}

static bool is_measurable(const struct value *value)
{
    return value->dtype == DTYPE_SCALAR && shape_known(value->shape) &&
           value->kind == VALUE_RESULT && shape_volume(value->shape) > 0;
}

static void add_measured(struct quantizing *q, const struct value *value, const char *name)
{
    for (int i = 0; i < q->measures; i++)
        if (q->measured[i].value == value->id)
            return;
    q->measured =
        arena_list(q->model->context->arena, q->measured, q->measures, sizeof *q->measured);
    q->measured[q->measures++] = (struct measured){value->name ? value->name : name, value->id};
}

/* The results of the graph, or the tensors that the client names. */
static bool find_measured(struct quantizing *q)
{
    const char *list = q->how.outputs;
    bool ok = true;

    for (int i = 0; i < q->graph->noutput && !list; i++) {
        const struct value *value = before_hiding(q->graph->outputs[i].value);
        if (is_measurable(value))
            add_measured(q, value, q->graph->outputs[i].name);
    }
    for (size_t size; list && *list; list += size + (list[size] == ',')) {
        size = strcspn(list, ",");
        const char *word = arena_strndup(q->model->context->arena, list, size);
        const struct value *found = NULL;
        for (struct value *const *v = graph_values(q->graph); *v && !found; v++)
            found = lists_word(word, (*v)->name) ? *v : NULL;
        for (int i = 0; i < q->graph->noutput && !found; i++)
            found = lists_word(word, q->graph->outputs[i].name) ? q->graph->outputs[i].value : NULL;
        if (found && is_measurable(found))
            add_measured(q, found, word);
        else
            ok = misuse(q->model, "there is no computed tensor '%s' of scalars to measure", word);
    }
    return ok && (q->measures > 0 || misuse(q->model, "no result is a tensor of scalars of a known "
                                                      "shape, by which to measure"));
}

/* --- decibels -------------------------------------------------------------------------------- */

static double decibels(double signal, double noise)
{
    if (noise <= 0)
        return most_snr;
    return signal > 0 ? fmax(fmin(10 * log10(signal / noise), most_snr), -most_snr) : -most_snr;
}

/* The SNR of the model as the plan has it: the mean over what is measured. */
static bool measure(struct quantizing *q, struct sums *sums, double *snr)
{
    double sum = 0;

    if (!quantizing_measure(q, sums))
        return false;
    for (int i = 0; i < q->measures; i++)
        sum += decibels(sums[i].reference, sums[i].off);
    *snr = sum / q->measures;
    return true;
}

/* --- ways ------------------------------------------------------------------------------------ */

struct way {
    const char *name;
    enum range_rule rule;
    double percent;
    bool correct;
    double snr;
};

enum { WAYS_MOST = 8 };

/* The ways to be tried, those that do least first. */
static int list_ways(const struct quantizing *q, struct way way[WAYS_MOST])
{
    static const struct way rules[] = {{"minmax", RANGE_MINMAX, 100, false, 0},
                                       {"99.999 %", RANGE_PERCENTILE, 99.999, false, 0},
                                       {"99.99 %", RANGE_PERCENTILE, 99.99, false, 0},
                                       {"mse", RANGE_MSE, 100, false, 0}};
    const double percent = q->how.percentile > 0 ? q->how.percentile : 99.99;
    struct way own = {.rule = (enum range_rule)(q->how.range - 1), .percent = percent};
    int count = 0;

    own.name = own.rule == RANGE_PERCENTILE
                   ? text_format(q->model->context->arena, "%.9g %%", percent)
               : own.rule == RANGE_MSE ? "mse"
                                       : "minmax";
    for (int correct = 0; correct < 2; correct++) {
        if (q->how.correct_bias == (correct ? NNEFC_CHOICE_NO : NNEFC_CHOICE_YES))
            continue;
        for (int i = 0; i < (q->how.range == NNEFC_RANGE_AUTO ? 4 : 1); i++) {
            way[count] = q->how.range == NNEFC_RANGE_AUTO ? rules[i] : own;
            way[count++].correct = correct;
        }
    }
    return count;
}

/* Give all groups the ranges of a way. */
static bool set_way(struct quantizing *q, const struct way *way)
{
    struct quantize_plan *plan = q->plan;
    const struct saturation integers = {0, plan->low, plan->high};

    for (int i = 0; i < plan->groups; i++) {
        struct saturation s = {0, plan->low, plan->high};
        plan->group[i].scale = quantization_of(
            observed_range(&q->observed[i], way->rule, way->percent, &integers), &s);
        plan->group[i].zero = s.zero;
    }
    plan->correct = way->correct;
    return !way->correct || quantizing_correct(q);
}

static void enable_all(struct quantizing *q, bool enabled)
{
    for (int i = 0; i < q->plan->layers; i++)
        q->plan->layer[i].enabled = enabled && !q->plan->layer[i].kept;
}

/* Try the ways, and go on with the best. */
static bool choose_way(struct quantizing *q, struct way way[WAYS_MOST], int count,
                       struct sums *sums, int *best)
{
    double most = -HUGE_VAL;

    enable_all(q, true);
    for (int i = 0; i < count; i++) {
        if (!set_way(q, &way[i]) || !measure(q, sums, &way[i].snr))
            return false;
        most = fmax(most, way[i].snr);
    }
    *best = 0;
    while (way[*best].snr < most - nearly)
        ++*best;
    return set_way(q, &way[*best]);
}

/* --- layers ---------------------------------------------------------------------------------- */

/* SNR of each layer alone. */
static bool measure_layers(struct quantizing *q, struct sums *sums, double *alone)
{
    enable_all(q, false);
    for (int i = 0; i < q->plan->layers; i++) {
        struct quantize_layer *layer = &q->plan->layer[i];
        alone[i] = most_snr;
        if (layer->kept)
            continue;
        layer->enabled = true;
        if (!measure(q, sums, &alone[i]))
            return false;
        layer->enabled = false;
    }
    enable_all(q, true);
    return true;
}

/* Layers by their SNR, the least first; equal ones in their order. */
static int *sort_layers(const struct quantizing *q, const double *alone)
{
    int *order = arena_array_of(q->model->context->arena, int, q->plan->layers + 1);

    for (int i = 0; i < q->plan->layers; i++) {
        int at = i;
        for (; at > 0 && alone[order[at - 1]] > alone[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

static int64_t macs_of_graph(const struct quantizing *q)
{
    int64_t macs = 0;

    for (const struct node *n = q->graph->first; n; n = n->next)
        macs += macs_of(n) > 0 ? macs_of(n) : 0;
    return macs > 0 ? macs : 1;
}

static double share_of(const struct quantizing *q, const struct quantize_layer *layer)
{
    return (double)macs_of(layer->node) / (double)q->macs;
}

/* Let layers be numbers again, as far as the budget goes. */
static bool spend_budget(struct quantizing *q, const int *order, struct sums *sums, double *snr)
{
    const bool wants = q->how.min_snr > 0;
    double left = (q->how.budget > 0 ? q->how.budget : wants ? 100 : 0) / 100, tried;

    for (int i = 0; i < q->plan->layers && (!wants || *snr < q->how.min_snr); i++) {
        struct quantize_layer *layer = &q->plan->layer[order[i]];
        const double share = share_of(q, layer);
        if (!layer->enabled || share > left)
            continue;
        layer->enabled = false;
        if (!measure(q, sums, &tried))
            return false;
        if (wants || tried > *snr) {
            left -= share;
            *snr = tried;
        } else {
            layer->enabled = true;
        }
    }
    return measure(q, sums, snr);
}

/* --- the report ------------------------------------------------------------------------------ */

static void report_layer(const struct quantizing *q, int index, double alone, struct list *list)
{
    const struct quantize_layer *layer = &q->plan->layer[index];
    const struct value *weights = layer->node->in[1].value, *x = layer->node->in[0].value;
    struct arena *arena = q->model->context->arena;
    struct nnefc_quantized_layer *to =
        LIST_ADD(list, (struct nnefc_quantized_layer){
                           .name = text_format(arena, "%s", VALUE_TEXT(&layer->node->out[0])),
                           .operation = layer->node->op->name,
                           .place = index,
                           .weights = type_of((enum dtype)weights->dtype, weights->shape),
                           .macs = macs_of(layer->node),
                           .share = share_of(q, layer),
                           .quantized = layer->enabled,
                           .alone = alone});
    double signal, noise;

    if (layer->kept)
        return;
    const struct observed *observed = &q->observed[q->plan->group_of[x->id]];
    const struct quantize_group *group = &q->plan->group[q->plan->group_of[x->id]];
    to->low = (double)quantized_number(q->plan->low, group->zero, group->scale);
    to->high = (double)quantized_number(q->plan->high, group->zero, group->scale);
    /* What is rounded to the ends is not cut. */
    to->cut = observed_cut(observed, (struct code_range){(float)to->low - group->scale / 2,
                                                         (float)to->high + group->scale / 2});
    to->least = (double)observed->low;
    to->greatest = (double)observed->high;
    double *histogram = arena_array_of(arena, double, NNEFC_HISTOGRAM_BINS);
    observed_histogram(observed, histogram, NNEFC_HISTOGRAM_BINS);
    to->histogram = histogram;
    quantize_weights_error(layer, &signal, &noise);
    to->weights_snr = decibels(signal, noise);
}

static struct list *report_outputs(const struct quantizing *q, const struct sums *sums)
{
    struct list *list = list_new(q->model->context->arena);

    for (int i = 0; i < q->measures; i++) {
        const struct sums *s = &sums[i];
        const double product = sqrt(s->reference) * sqrt(s->got);
        LIST_ADD(list, (struct nnefc_quantized_output){
                           .name = q->measured[i].name,
                           .snr = decibels(s->reference, s->off),
                           .cosine = product > 0  ? s->product / product
                                     : s->off > 0 ? 0
                                                  : 1,
                           .difference = s->difference,
                           .largest = s->largest,
                           .agreement = s->rows > 0 ? (double)s->same / (double)s->rows : -1});
    }
    return list;
}

static struct list *report_ways(const struct quantizing *q, const struct way *way, int count)
{
    struct list *list = list_new(q->model->context->arena);

    for (int i = 0; i < count; i++)
        LIST_ADD(list, (struct nnefc_quantize_way){way[i].name, way[i].correct, way[i].snr});
    return list;
}

/* Bytes of an item of a variable, as a file has it. */
static int64_t stored_size(const struct source *s)
{
    if (s->value->dtype != DTYPE_INTEGER || !s->tensor)
        return (int64_t)dtype_size((enum dtype)s->value->dtype);
    const struct interval items = bounds_of_items(s->tensor);
    if (interval_has((struct interval){0, UINT8_MAX}, items) ||
        interval_has((struct interval){INT8_MIN, INT8_MAX}, items))
        return 1;
    return interval_has((struct interval){INT32_MIN, INT32_MAX}, items) ? (int64_t)sizeof(int32_t)
                                                                        : (int64_t)sizeof(int64_t);
}

/* Bytes of variables and of the weights of layers, each of which counts once: those that only
 * layers read which are quantized have 8 bits and scales then. */
static void report_bytes(const struct quantizing *q, struct nnefc_quantized *to)
{
    enum { COUNTED = 1, FLOAT = 2, SMALL = 4 };
    unsigned char *what =
        arena_array_of(q->model->context->arena, unsigned char, q->graph->value_count);

    for (const struct source *s = q->graph->variables.first; s; s = s->next) {
        to->before += stored_size(s) * shape_volume(s->value->shape);
        what[s->value->id] |= COUNTED;
    }
    for (int i = 0; i < q->plan->layers; i++)
        what[q->plan->layer[i].node->in[1].value->id] |= q->plan->layer[i].enabled ? 0 : FLOAT;
    for (int i = 0; i < q->plan->layers; i++) {
        const struct value *weights = q->plan->layer[i].node->in[1].value;
        const int64_t volume = shape_volume(weights->shape);
        to->before += what[weights->id] & COUNTED ? 0 : 4 * volume;
        what[weights->id] |= COUNTED;
        if (!q->plan->layer[i].enabled || (what[weights->id] & SMALL))
            continue;
        what[weights->id] |= SMALL;
        to->after += 4 * shape_volume(&q->plan->layer[i].scale.shape) + volume -
                     (what[weights->id] & FLOAT ? 0 : 4 * volume);
    }
    to->after += to->before;
}

/* What a search has found. */
struct found {
    struct way way[WAYS_MOST];
    int ways, best;
    double *alone;
    int *order;
    double snr;
    struct sums *sums;
};

static const struct nnefc_quantized *report_of(const struct quantizing *q, const struct found *f)
{
    struct arena *arena = q->model->context->arena;
    struct nnefc_quantized *to = arena_array_of(arena, struct nnefc_quantized, 1);
    struct list *layers = list_new(arena);

    for (int i = 0; i < q->plan->layers; i++)
        report_layer(q, f->order[i], f->alone[f->order[i]], layers);
    for (int i = 0; i < q->plan->layers; i++)
        to->share += q->plan->layer[i].enabled ? share_of(q, &q->plan->layer[i]) : 0;
    to->snr = f->snr;
    to->reached = q->how.min_snr <= 0 || f->snr >= q->how.min_snr;
    report_bytes(q, to);
    to->best = (struct nnefc_quantize_way){f->way[f->best].name, f->way[f->best].correct,
                                           f->way[f->best].snr};
    to->layers = (const void *)layers;
    to->ways = (const void *)report_ways(q, f->way, f->ways);
    to->outputs = (const void *)report_outputs(q, f->sums);
    return to;
}

/* --- all of it ------------------------------------------------------------------------------- */

static bool has_layers(const struct nnefc_model *model, const struct quantizing *q)
{
    int count = 0;

    for (int i = 0; i < q->plan->layers; i++)
        count += !q->plan->layer[i].kept;
    if (count > 0)
        return true;
    for (const struct node *n = q->graph->first; n; n = n->next)
        if (n->op->id == OP_dequantize)
            return diag_file_error(model->context->diag, NULL, DIAG_NOT_SUPPORTED,
                                   "there is nothing to quantize: the model is quantized");
    diag_file_error(model->context->diag, NULL, DIAG_NOT_SUPPORTED,
                    "there is nothing to quantize: %s",
                    q->plan->layers > 0 ? "all layers are kept"
                                        : "no convolution or product has constant weights and "
                                          "known shapes");
    return false;
}

/* Steps of all that follows: what the budget takes is not known. */
static int64_t count_steps(const struct quantizing *q, const struct way *way, int ways)
{
    const int64_t checks = q->how.checks > 0 ? q->how.checks : q->how.samples;
    int64_t runs = ways + q->plan->layers + 1, corrections = way[ways - 1].correct;

    for (int i = 0; i < ways; i++)
        corrections += way[i].correct;
    return q->how.samples * (1 + corrections) + 2 * checks * runs;
}

static bool search(struct quantizing *q)
{
    struct arena *arena = q->model->context->arena;
    struct found f = {.sums = arena_array_of(arena, struct sums, q->measures),
                      .alone = arena_array_of(arena, double, q->plan->layers + 1)};
    struct value *const *value;

    warn_of_few(q);
    f.ways = list_ways(q, f.way);
    q->total = count_steps(q, f.way, f.ways);
    if (!quantize_weights(q->plan, q->how.per_tensor) || !quantizing_observe(q))
        return false;
    warn_of_constants(q);
    if (!choose_way(q, f.way, f.ways, f.sums, &f.best) || !measure_layers(q, f.sums, f.alone))
        return false;
    f.order = sort_layers(q, f.alone);
    f.snr = f.way[f.best].snr;
    if (!spend_budget(q, f.order, f.sums, &f.snr))
        return false;
    const struct nnefc_quantized *report = report_of(q, &f);
    struct graph *graph = quantizing_copy(q, &value);
    q->plan->gives = true;
    if (!quantize_apply(q->plan, graph, &q->model->kept))
        return false;
    q->model->graph = graph;
    q->model->quantization = report;
    return true;
}

static void end(struct quantizing *q)
{
    nnefc_run_free(q->reference);
    for (int i = 0; i < q->plan->groups && q->observed; i++)
        observed_free(&q->observed[i]);
    quantize_weights_free(q->plan);
    retained_tensors_free(q->model->context, q->kept);
}

bool api_model_quantize(struct nnefc_model *model, const struct nnefc_quantize *how)
{
    struct quantizing q = {.model = model};

    if (!graph_is_there(model, "quantized"))
        return false;
    if (!how)
        return misuse(model, "there is nothing that says how to quantize the model");
    if (!settings_take(model, how, &q.how, sizeof q.how) || !settings_fit(model, &q.how))
        return false;
    if (model->runs)
        return misuse(model, "a model cannot be quantized while there are runs of it");
    if (model->graph->provisional || model->quant.entries.first)
        return diag_file_error(model->context->diag, NULL, DIAG_NOT_SUPPORTED,
                               model->graph->provisional
                                   ? "a model of provisional NNEF cannot be quantized"
                                   : "the model has a quantization file: it is quantized");
    if (!weights_load(model))
        return false;
    q.graph = graph_copy(model->graph);
    q.macs = macs_of_graph(&q);
    q.plan = quantize_find(q.graph, keeps_layer, &q);
    bool ok = check_words(&q, q.how.keep, false) && check_words(&q, q.how.keep_op, true) &&
              has_layers(model, &q) && find_measured(&q) && search(&q);
    end(&q);
    model->computed = NULL;
    model->ncomputed = 0;
    lists_forget(model->lists);
    return ok;
}

const struct nnefc_quantized *nnefc_model_quantized(const struct nnefc_model *model)
{
    return model ? model->quantization : NULL;
}
