/* quantize_report.c - what is told of a model that was quantized */
#include "api/quantize.h"

#include "base/arena.h"
#include "base/text.h"
#include "op/op.h"
#include "pass/bounds.h"
#include "pass/quantized.h"

#include <math.h>

double quantized_decibels(double signal, double noise)
{
    if (isnan(signal) || isnan(noise) || isinf(noise))
        return -QUANTIZED_MOST_SNR;
    if (noise <= 0)
        return QUANTIZED_MOST_SNR;
    return signal > 0
               ? fmax(fmin(10 * log10(signal / noise), QUANTIZED_MOST_SNR), -QUANTIZED_MOST_SNR)
               : -QUANTIZED_MOST_SNR;
}

double quantized_share(const struct quantizing *q, const struct quantize_layer *layer)
{
    return (double)macs_of(layer->node) / (double)q->macs;
}

/* What was seen of the input of a layer, and if it has integers, what these stand for. */
static void report_input(const struct quantizing *q, const struct quantize_layer *layer,
                         struct nnefc_quantized_layer *to)
{
    const int number = q->plan->group_of[layer->node->in[0].value->id];
    const struct observed *observed = &q->observed[number];
    const struct quantize_group *group = &q->plan->group[number];

    const struct saturation integers = quantize_integers(group);

    double *histogram = arena_array_of(q->model->context->arena, double, NNEFC_HISTOGRAM_BINS);

    to->least = (double)observed->low;
    to->greatest = (double)observed->high;
    observed_histogram(observed, histogram, NNEFC_HISTOGRAM_BINS);
    to->histogram = histogram;
    if (!layer->enabled)
        return;
    to->input_bits = group->wide ? 16 : 8;
    to->low = (double)quantized_number(integers.low, group->zero, group->scale);
    to->high = (double)quantized_number(integers.high, group->zero, group->scale);
    /* What is rounded to the ends is not cut. */
    to->cut = observed_cut(observed, (struct code_range){(float)to->low - group->scale / 2,
                                                         (float)to->high + group->scale / 2});
}

static void report_layer(const struct quantizing *q, int index, const struct found *f,
                         struct list *list)
{
    const struct quantize_layer *layer = &q->plan->layer[index];
    const struct value *weights = layer->node->in[1].value;
    struct arena *arena = q->model->context->arena;
    struct nnefc_quantized_layer *to =
        LIST_ADD(list, (struct nnefc_quantized_layer){
                           .name = text_format(arena, "%s", VALUE_TEXT(&layer->node->out[0])),
                           .operation = layer->node->op->name,
                           .place = index,
                           .weights = type_of((enum dtype)weights->dtype, weights->shape),
                           .macs = macs_of(layer->node),
                           .share = quantized_share(q, layer),
                           .quantized = layer->enabled,
                           .bits = layer->enabled ? layer->bits : 0,
                           .block = layer->enabled ? layer->block : 0,
                           .alone = layer->kept ? (double)NAN : f->alone[index],
                           .here = f->here[index]});
    double signal, noise;

    if (layer->kept)
        return;
    if (!q->plan->numbers)
        report_input(q, layer, to);
    quantize_weights_error(layer, &signal, &noise);
    to->weights_snr = quantized_decibels(signal, noise);
}

static struct list *report_outputs(const struct quantizing *q, const struct sums *sums)
{
    struct list *list = list_new(q->model->context->arena);

    for (int i = 0; i < q->measures; i++) {
        const struct sums *s = &sums[i];
        const double product = sqrt(s->reference) * sqrt(s->got);
        LIST_ADD(list, (struct nnefc_quantized_output){
                           .name = q->measured[i].name,
                           .snr = quantized_decibels(s->reference, s->off),
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
        LIST_ADD(list, (struct nnefc_quantize_way){way[i].name, way[i].correct, way[i].snr,
                                                   way[i].adapt, way[i].equalize});
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

/* Bytes of the integers of a layer, with scales and zeros. */
static int64_t integers_size(const struct quantize_layer *layer)
{
    const int64_t zeros = layer->zero.data ? shape_volume(&layer->zero.shape) : 0;

    return (shape_volume(&layer->items.shape) + zeros) * layer->bits / 8 +
           4 * shape_volume(&layer->scale.shape);
}

/* Bytes of variables and of the weights of layers, each of which counts once: those that only
 * layers read which are quantized are integers and scales then. */
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
        to->after +=
            integers_size(&q->plan->layer[i]) - (what[weights->id] & FLOAT ? 0 : 4 * volume);
    }
    to->after += to->before;
}

const struct nnefc_quantized *quantized_report(const struct quantizing *q, const struct found *f)
{
    struct arena *arena = q->model->context->arena;
    struct nnefc_quantized *to = arena_array_of(arena, struct nnefc_quantized, 1);
    struct list *layers = list_new(arena);

    for (int i = 0; i < q->plan->layers; i++)
        report_layer(q, f->order[i], f, layers);
    bool any = false;
    for (int i = 0; i < q->plan->layers; i++) {
        any |= q->plan->layer[i].enabled;
        to->share += q->plan->layer[i].enabled ? quantized_share(q, &q->plan->layer[i]) : 0;
    }
    to->snr = f->snr;
    to->reached = q->how.min_snr <= 0 || (any && f->snr >= q->how.min_snr);
    report_bytes(q, to);
    const struct way *best = &f->way[f->best];
    to->best = (struct nnefc_quantize_way){best->name, best->correct, best->snr, best->adapt,
                                           best->equalize};
    to->layers = (const void *)layers;
    to->ways = (const void *)report_ways(q, f->way, f->ways);
    to->outputs = (const void *)report_outputs(q, f->sums);
    return to;
}
