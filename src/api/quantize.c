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
#include "pass/edit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double nearly = 0.2; /* dB */

/* --- what is asked for ----------------------------------------------------------------------- */

static bool keeps_layer(const void *data, const struct node *node)
{
    const struct quantizing *q = data;

    return quantizing_names(q->how.keep, node->out[0].name) ||
           quantizing_names(q->how.keep_op, node->op->name) ||
           (q->how.only && !quantizing_names(q->how.only, node->out[0].name));
}

/* Each word of the lists means a layer. */
static bool check_words(const struct quantizing *q, const char *list, bool operations)
{
    bool ok = true;

    for (size_t size; list && *list; list += size + (list[size] == ',')) {
        size = quantizing_word(list);
        const char *word = arena_strndup(q->model->context->arena, list, size);
        bool found = false;
        for (int i = 0; i < q->plan->layers && !found; i++) {
            const struct node *node = q->plan->layer[i].node;
            found = quantizing_names(word, operations ? node->op->name : node->out[0].name);
        }
        if (!found)
            ok = misuse(q->model, "there is no layer '%s' to keep or to quantize%s", word,
                        operations ? ", by its operation" : "");
    }
    return ok;
}

/* Say what is meant where nothing is said. */
static void settle(struct nnefc_quantize *how)
{
    enum { USUAL_BLOCK = 32 };

    how->bits = how->bits == 0 ? 8 : how->bits;
    how->block = how->block == 0 && how->bits == 4 ? USUAL_BLOCK : how->block;
    if (how->activations == NNEFC_ACTIVATIONS_AUTO)
        how->activations = how->block > 0 ? NNEFC_ACTIVATIONS_FLOAT : NNEFC_ACTIVATIONS_UINT8;
}

/* What weights and activations may be, once that is settled. */
static bool weights_fit(const struct nnefc_model *model, const struct nnefc_quantize *how)
{
    const bool numbers = how->activations == NNEFC_ACTIVATIONS_FLOAT;

    if ((how->bits != 4 && how->bits != 8) ||
        (how->block != 0 && (how->block < 16 || how->block > 256 || how->block % BLOCK_UNIT != 0)))
        return misuse(model, "weights have 4 or 8 bits, in blocks of 16 to 256, if at all, which "
                             "are multiples of 8");
    if ((int)how->activations < NNEFC_ACTIVATIONS_UINT8 ||
        how->activations > NNEFC_ACTIVATIONS_MIXED)
        return misuse(model, "activations are of no such type");
    if (how->activations == NNEFC_ACTIVATIONS_MIXED && how->min_snr <= 0 && how->budget <= 0)
        return misuse(model,
                      "where activations are mixed, an SNR or a budget tells which have 16 bits");
    if (!numbers && how->block > 0)
        return misuse(model, "weights in blocks go with activations that are floats");
    if (how->block > 0 && how->per_tensor)
        return misuse(model, "weights in blocks have a scale for each of these");
    if (numbers && (how->range != NNEFC_RANGE_AUTO || how->correct_bias == NNEFC_CHOICE_YES ||
                    how->equalize == NNEFC_CHOICE_YES))
        return misuse(model, "where activations are floats there are no ranges to find or to "
                             "equalize, and no biases to correct");
    if (how->samples == 0 && numbers && (how->min_snr != 0 || how->budget != 0 || how->outputs))
        return misuse(model, "without samples nothing is measured");
    if (how->samples == 0 && how->rounding == NNEFC_ROUNDING_ADAPT)
        return misuse(model, "without samples weights are rounded to the nearest integers");
    return true;
}

static bool settings_fit(const struct nnefc_model *model, const struct nnefc_quantize *how)
{
    const int least = how->activations == NNEFC_ACTIVATIONS_FLOAT ? 0 : 1;

    if ((!how->feed && how->samples != 0) || how->samples < least || how->checks < 0 ||
        how->checks > INT32_MAX - how->samples)
        return misuse(model, "quantizing a model takes at least one sample of its inputs");
    if ((int)how->range < NNEFC_RANGE_AUTO || how->range > NNEFC_RANGE_MSE ||
        (int)how->correct_bias < NNEFC_CHOICE_AUTO || how->correct_bias > NNEFC_CHOICE_NO)
        return misuse(model, "a range is found by no such rule, or a choice is none");
    if ((int)how->equalize < NNEFC_CHOICE_AUTO || how->equalize > NNEFC_CHOICE_NO)
        return misuse(model, "a choice is none");
    if ((int)how->rounding < NNEFC_ROUNDING_AUTO || how->rounding > NNEFC_ROUNDING_ADAPT)
        return misuse(model, "weights are rounded in no such way");
    if (how->percentile != 0 && !(how->percentile > 50 && how->percentile <= 100))
        return misuse(model, "a percentile of a range is above 50 and at most 100");
    if (!(how->budget >= 0 && how->budget <= 100) || !isfinite(how->min_snr))
        return misuse(model, "a budget is from 0 to 100 percent, and an SNR is finite");
    return weights_fit(model, how);
}

/* A few samples tell little of what else may come. */
static void warn_of_few(const struct quantizing *q)
{
    enum { FEW = 16 };
    const int count = q->how.samples + q->how.checks;

    if (count < FEW && !q->plan->numbers)
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

    for (int i = 0; i < q->plan->layers && !q->plan->numbers; i++) {
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

/* What is measured tells little of others if one sample has nearly all of it. */
static void warn_of_one(const struct quantizing *q, const struct sums *sums)
{
    const int count = quantizing_checks(q);

    for (int i = 0; i < q->measures && count > 1; i++)
        if (sums[i].most > 0.9 * sums[i].reference)
            diag_file_warning(q->model->context->diag, NULL, WARNING_ONE_SAMPLE,
                              "one of %d samples has %.1f %% of the squares of '%s': its SNR is "
                              "that of this sample",
                              count, 100 * sums[i].most / sums[i].reference, q->measured[i].name);
}

/* --- ways ------------------------------------------------------------------------------------ */

/* Ways to be tried at first, those that do least first. */
static int list_ways(const struct quantizing *q, struct way way[WAYS_MOST])
{
    static const struct way rules[] = {
        {"minmax", RANGE_MINMAX, 100, false, false, false, 0},
        {"99.999 %", RANGE_PERCENTILE, 99.999, false, false, false, 0},
        {"99.99 %", RANGE_PERCENTILE, 99.99, false, false, false, 0},
        {"mse", RANGE_MSE, 100, false, false, false, 0}};
    const bool adapt = q->how.rounding == NNEFC_ROUNDING_ADAPT;
    const double percent = q->how.percentile > 0 ? q->how.percentile : 99.99;
    struct way own = {.rule = (enum range_rule)(q->how.range - 1), .percent = percent};
    int count = 0;

    if (q->plan->numbers) {
        way[0] = (struct way){.adapt = adapt};
        return 1;
    }
    own.name = own.rule == RANGE_PERCENTILE
                   ? text_format(q->model->context->arena, "%.9g %%", percent)
               : own.rule == RANGE_MSE ? "mse"
                                       : "minmax";
    for (int correct = 0; correct < 2; correct++) {
        if (q->how.correct_bias == (correct ? NNEFC_CHOICE_NO : NNEFC_CHOICE_YES))
            continue;
        for (int i = 0; i < (q->how.range == NNEFC_RANGE_AUTO ? 4 : 1); i++) {
            way[count] = q->how.range == NNEFC_RANGE_AUTO ? rules[i] : own;
            way[count].adapt = adapt;
            way[count++].correct = correct;
        }
    }
    return count;
}

/* Some more, which do more than the best so far. */
static int list_more_ways(const struct quantizing *q, const struct way *best, struct way way[2])
{
    int count = 0;

    if (q->how.rounding != NNEFC_ROUNDING_AUTO)
        return 0;
    for (int correct = 0; correct < (q->plan->numbers ? 1 : 2); correct++) {
        if (!q->plan->numbers &&
            q->how.correct_bias == (correct ? NNEFC_CHOICE_NO : NNEFC_CHOICE_YES))
            continue;
        way[count] = *best;
        way[count].adapt = true;
        way[count++].correct = correct;
    }
    return count;
}

void quantizing_set_group(struct quantizing *q, int group, const struct way *way, bool wide)
{
    struct quantize_group *to = &q->plan->group[group];

    *to = (struct quantize_group){.wide = wide};
    struct saturation integers = quantize_integers(to);
    to->scale = quantization_of(
        observed_range(&q->observed[group], way->rule, way->percent, &integers), &integers);
    to->zero = integers.zero;
}

/* Give all groups the ranges of a way. */
static bool set_way(struct quantizing *q, const struct way *way)
{
    for (int i = 0; i < q->plan->groups; i++)
        quantizing_set_group(q, i, way, q->how.activations == NNEFC_ACTIVATIONS_INT16);
    quantize_use_adapted(q->plan, way->adapt);
    q->plan->correct = way->correct;
    return !way->correct || quantizing_correct(q);
}

void quantizing_enable(struct quantizing *q, bool enabled)
{
    for (int i = 0; i < q->plan->layers; i++)
        q->plan->layer[i].enabled = enabled && !q->plan->layer[i].kept;
}

/* Make what ways need that adapt weights. */
static bool adapt_all(struct quantizing *q)
{
    for (int i = 0; i < q->plan->layers; i++)
        if (q->moments[i].sums) {
            if (!quantize_adapt(&q->plan->layer[i], &q->moments[i]))
                return diag_file_error(q->model->context->diag, NULL, DIAG_RUN_MEMORY,
                                       "there is not enough memory for the weights of '%s'",
                                       VALUE_TEXT(&q->plan->layer[i].node->out[0]));
            moments_free(&q->moments[i]);
        }
    return true;
}

/* Try ways from `first` on. */
static bool try_ways(struct quantizing *q, struct found *f, int first)
{
    for (int i = first; i < f->ways; i++)
        if (!set_way(q, &f->way[i]) || !quantizing_measure(q, f->sums, &f->way[i].snr))
            return false;
    return true;
}

/* The first that is nearly as good as the best. */
static int best_of(const struct found *f)
{
    double most = -HUGE_VAL;
    int best = 0;

    for (int i = 0; i < f->ways; i++)
        most = fmax(most, f->way[i].snr);
    while (f->way[best].snr < most - nearly)
        best++;
    return best;
}

/* Try the ways, and go on with the best. */
static bool choose_way(struct quantizing *q, struct found *f)
{
    const int first = f->ways;

    quantizing_enable(q, true);
    if (!try_ways(q, f, 0))
        return false;
    f->ways += list_more_ways(q, &f->way[best_of(f)], f->way + first);
    if (!try_ways(q, f, first))
        return false;
    f->best = best_of(f);
    return set_way(q, &f->way[f->best]);
}

/* --- beginning and end --------------------------------------------------------------------------
 */

static void find_plan(struct quantizing *q)
{
    const struct quantize_wish wish = {.numbers = q->how.activations == NNEFC_ACTIVATIONS_FLOAT,
                                       .bits = q->how.bits,
                                       .block = q->how.block,
                                       .small = q->how.only,
                                       .keeps = keeps_layer,
                                       .data = q};

    q->plan = quantize_find(q->graph, &wish);
}

static void end(struct quantizing *q)
{
    reference_free(q, &q->reference);
    for (int i = 0; i < q->plan->groups && q->observed; i++)
        observed_free(&q->observed[i]);
    for (int i = 0; i < q->plan->layers && q->moments; i++)
        moments_free(&q->moments[i]);
    quantize_weights_free(q->plan);
    retained_tensors_free(q->model->context, q->kept);
}

/* --- channels that are equalized ---------------------------------------------------------------
 */

/* The ways that the settings allow, with the ranges of all rules. */
static bool try_side(struct quantizing *q, struct found *f)
{
    const int first = f->ways;

    if (!quantizing_find_measured(q) || !quantize_weights(q->plan, q->how.per_tensor) ||
        !quantizing_observe(q) || !adapt_all(q))
        return false;
    f->ways += list_ways(q, f->way + first);
    for (int i = first; i < f->ways; i++)
        f->way[i].equalize = true;
    quantizing_enable(q, true);
    return try_ways(q, f, first);
}

static int best_of_equalized(const struct found *f, int first)
{
    int best = first;

    for (int i = first; i < f->ways; i++)
        best = f->way[i].snr > f->way[best].snr ? i : best;
    return best;
}

/* Try ranges with channels that are equalized, the rest being as it was best; go on with that if it
 * is better. */
static bool try_equalized(struct quantizing *q, struct found *f)
{
    const struct way *plain = &f->way[f->best];
    struct quantizing side = {.model = q->model, .how = q->how, .macs = q->macs};
    struct value *const *value;
    struct graph *graph = quantizing_copy(q, &value);
    const int first = f->ways;
    bool any;

    if (!quantize_equalize(q->plan, graph, &q->model->kept, &any) || !any)
        return !any;
    side.how.rounding = plain->adapt ? NNEFC_ROUNDING_ADAPT : NNEFC_ROUNDING_NEAREST;
    side.how.correct_bias = plain->correct ? NNEFC_CHOICE_YES : NNEFC_CHOICE_NO;
    side.graph = graph_copy(graph);
    side.done = q->done;
    side.total = q->total;
    side.reference = q->reference; /* the network as it was */
    q->reference = (struct reference){0};
    find_plan(&side);
    /* Weights may be beyond floats now. */
    bool ok = side.plan->layers != q->plan->layers || try_side(&side, f);
    const int best = ok ? best_of_equalized(f, first) : first;
    const bool better =
        ok && f->ways > first &&
        (q->how.equalize == NNEFC_CHOICE_YES || f->way[best].snr > plain->snr + nearly);
    q->done = side.done;
    if (!better) {
        q->reference = side.reference;
        side.reference = (struct reference){0};
    }
    end(better ? q : &side);
    if (!better)
        return ok;
    *q = side;
    f->best = best;
    return set_way(q, &f->way[best]);
}

/* --- all of it ------------------------------------------------------------------------------- */

static int64_t macs_of_graph(const struct quantizing *q)
{
    int64_t macs = 0;

    for (const struct node *n = q->graph->first; n; n = n->next)
        macs += macs_of(n) > 0 ? macs_of(n) : 0;
    return macs > 0 ? macs : 1;
}

/* Why sums of products are no layers: the first ones. */
static void tell_sums(const struct quantizing *q)
{
    enum { TOLD = 4 };
    int told = 0;

    for (const struct node *n = q->graph->first; n && told < TOLD && q->plan->layers == 0;
         n = n->next) {
        const struct value *weights = n->nin > 1 ? n->in[1].value : NULL;
        const bool layer = n->op->id == OP_conv || n->op->id == OP_linear || n->op->id == OP_matmul;
        if (!weights || macs_of(n) == 0)
            continue;
        told++;
        diag_note(q->model->context->diag, value_span(&n->out[0]),
                  "'%s' of '%s' stays as it is: %s", VALUE_TEXT(&n->out[0]), n->op->name,
                  !layer                  ? "only conv, linear and matmul are quantized"
                  : !value_items(weights) ? "its weights are computed or are not there"
                  : q->how.block > 0      ? "it is no product of two axes"
                  : value_items(n->in[0].value)
                      ? "what it reads is constant"
                      : "its shapes are not known, or its weights not finite");
    }
}

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
                    : q->how.block > 0  ? "no product has constant weights"
                    : q->plan->numbers  ? "no convolution or product has constant weights"
                                        : "no convolution or product has constant weights and "
                                          "known shapes");
    tell_sums(q);
    return false;
}

/* Steps of all that follows: what the budget takes is not known. */
static int64_t count_steps(const struct quantizing *q, const struct way *way, int ways)
{
    const int64_t checks = quantizing_checks(q);
    struct way more[2];
    const int others = list_more_ways(q, &way[0], more);
    int64_t runs = ways + others + q->plan->layers + 1, corrections = way[ways - 1].correct;

    for (int i = 0; i < ways; i++)
        corrections += way[i].correct;
    for (int i = 0; i < others; i++)
        corrections += more[i].correct;
    return q->how.samples * (1 + corrections) + checks * (runs + 3);
}

/* Find the way, and the layers that become numbers again, by samples. */
static bool search(struct quantizing *q, struct found *f)
{
    warn_of_few(q);
    f->ways = list_ways(q, f->way);
    q->total = count_steps(q, f->way, f->ways);
    if (!quantizing_observe(q) || !adapt_all(q))
        return false;
    warn_of_constants(q);
    if (!choose_way(q, f))
        return false;
    if (!q->plan->numbers && q->how.equalize != NNEFC_CHOICE_NO && !try_equalized(q, f))
        return false;
    if (!quantizing_measure_layers(q, f) || !quantizing_spend(q, f) ||
        !quantizing_measure_along(q, f->here))
        return false;
    warn_of_one(q, f->sums);
    return true;
}

/* Nothing is known of what the network computes. */
static void find_blindly(struct quantizing *q, struct found *f)
{
    quantizing_enable(q, true);
    for (int i = 0; i < q->plan->layers; i++)
        f->alone[i] = f->here[i] = NAN;
    f->order = quantizing_sort(q, f->alone);
    f->snr = NAN;
}

/* Quantize the model as it is best. */
static bool finish(struct quantizing *q)
{
    struct arena *arena = q->model->context->arena;
    struct found f = {.sums = arena_array_of(arena, struct sums, q->measures + 1),
                      .alone = arena_array_of(arena, double, q->plan->layers + 1),
                      .here = arena_array_of(arena, double, q->plan->layers + 1)};
    struct value *const *value;

    if (!quantize_weights(q->plan, q->how.per_tensor))
        return false;
    if (q->how.samples == 0)
        find_blindly(q, &f);
    else if (!search(q, &f))
        return false;
    const struct nnefc_quantized *report = quantized_report(q, &f);
    struct graph *graph = quantizing_copy(q, &value);
    q->plan->gives = true;
    if (!quantize_apply(q->plan, graph, &q->model->kept))
        return false;
    q->model->graph = graph;
    q->model->quant.entries = (struct quant_entry_list){0};
    q->model->quantization = report;
    return true;
}

bool api_model_quantize(struct nnefc_model *model, const struct nnefc_quantize *how)
{
    struct quantizing q = {.model = model};

    if (!graph_is_there(model, "quantized"))
        return false;
    if (!how)
        return misuse(model, "there is nothing that says how to quantize the model");
    if (!settings_take(model, how, &q.how, sizeof q.how))
        return false;
    settle(&q.how);
    if (!settings_fit(model, &q.how))
        return false;
    if (model->runs)
        return misuse(model, "a model cannot be quantized while there are runs of it");
    if (model->graph->provisional || (model->quant.entries.first && !q.how.again))
        return diag_file_error(model->context->diag, NULL, DIAG_NOT_SUPPORTED,
                               model->graph->provisional
                                   ? "a model of provisional NNEF cannot be quantized"
                                   : "the model has a quantization file: it is quantized");
    if (!weights_load(model))
        return false;
    q.graph = graph_copy(model->graph);
    if (q.how.again) {
        if (!quantize_undo(q.graph, &model->kept))
            return false;
        q.graph = graph_copy(q.graph); /* with ids that have no gaps */
    }
    q.macs = macs_of_graph(&q);
    find_plan(&q);
    bool ok = check_words(&q, q.how.keep, false) && check_words(&q, q.how.only, false) &&
              check_words(&q, q.how.keep_op, true) && has_layers(model, &q) &&
              (q.how.samples == 0 || quantizing_find_measured(&q)) && finish(&q);
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
