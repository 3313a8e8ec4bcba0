/* quantize_adapt.c - what layers read, and their weights rounded by it */
#include "pass/quantize_adapt.h"

#include "base/num.h"
#include "ir/graph.h"
#include "op/convolve.h"
#include "pass/edit.h"
#include "pass/quantize_weights.h"

#include <stdlib.h>

enum { INPUT, WEIGHTS };

/* --- what layers read ------------------------------------------------------------------------- */

static int64_t groups_of(const struct quantize_layer *layer)
{
    const struct node *node = layer->node;

    return is_op(node, OP_conv)
               ? conv_groups(node->in[INPUT].value->shape, node->in[WEIGHTS].value->shape,
                             node->out[0].shape, false)
               : 1;
}

bool quantize_adapts(const struct quantize_layer *layer)
{
    const struct node *node = layer->node;

    return !layer->kept && node_is_known(node) &&
           (is_op(node, OP_conv) || node->in[WEIGHTS].value->shape->rank == 2);
}

bool quantize_moments_begin(const struct quantize_layer *layer, struct moments *moments)
{
    return moments_begin(moments, weight_rows_of(layer).columns, groups_of(layer));
}

/* The rows of a matrix product: `columns` items, `step` apart. */
struct product_rows {
    const float *items;
    int64_t count, columns, step;
};

static void product_row(const struct product_rows *p, int64_t number, float *row)
{
    const int64_t matrix = p->step > 1 ? number / p->step : number;
    const float *from = p->items + matrix * p->columns * p->step;

    from += p->step > 1 ? number % p->step : 0;
    for (int64_t i = 0; i < p->columns; i++)
        row[i] = from[i * p->step];
}

/* Where the taps of one window are in a channel; OUTSIDE: nowhere. */
static void find_taps(const struct window *window, int64_t position, int64_t taps, int64_t *at)
{
    for (int64_t t = 0; t < taps; t++) {
        int64_t o = position, tap = t;
        at[t] = 0;
        for (int axis = window->rank - 1; axis >= 0; axis--) {
            const struct window_dim *dim = &window->dim[axis];
            const int64_t i = window_input(window, axis, o % dim->out, tap % dim->size);
            o /= dim->out;
            tap /= dim->size;
            at[t] = i == OUTSIDE || at[t] == OUTSIDE ? OUTSIDE : at[t] + i * dim->pitch;
        }
    }
}

/* What a window of all groups covers, one group after the other, for that result of a batch. */
static void window_row(const struct node *node, const float *input, int64_t number, int64_t *taps,
                       float *row)
{
    const struct shape *x = node->in[INPUT].value->shape, *filter = node->in[WEIGHTS].value->shape;
    const struct window_source source = {node->attrs, x, filter, 2, node->out[0].shape->rank,
                                         false};
    const struct window window = window_of(&source, node->out[0].shape);
    const int64_t positions = shape_volume_range(node->out[0].shape, 2, node->out[0].shape->rank);
    const int64_t count = shape_volume_range(filter, 2, filter->rank);
    const int64_t volume = shape_volume_range(x, 2, x->rank), channels = shape_extent(x, 1);

    find_taps(&window, number % positions, count, taps);
    input += number / positions * channels * volume;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t t = 0; t < count; t++)
            row[c * count + t] = taps[t] == OUTSIDE ? 0 : input[c * volume + taps[t]];
}

bool quantize_moments_add(const struct quantize_layer *layer, struct moments *moments,
                          const struct tensor *input, int64_t most)
{
    const struct node *node = layer->node;
    const bool conv = is_op(node, OP_conv);
    const bool turned = is_op(node, OP_matmul) && attr_transpose_a(node);
    const int64_t all = shape_volume(&input->shape), columns = moments->columns;
    const int64_t count = conv ? shape_volume(node->out[0].shape) / layer->channels : all / columns;
    const struct product_rows product = {input->data, count, columns,
                                         turned ? input->shape.extent[input->shape.rank - 1] : 1};
    float *row = malloc((size_t)(columns * moments->groups) * sizeof *row);
    int64_t *taps = malloc((size_t)columns * sizeof *taps);

    most = num_min(most, count);
    for (int64_t i = 0; i < most && row && taps; i++) {
        const int64_t number = (int64_t)((double)count * (double)i / (double)most);
        if (conv)
            window_row(node, input->data, number, taps, row);
        else
            product_row(&product, number, row);
        for (int64_t g = 0; g < moments->groups; g++)
            moments_add(moments, g, row + g * columns);
    }
    const bool ok = row && taps;
    free(row);
    free(taps);
    return ok;
}

/* --- rounding --------------------------------------------------------------------------------- */

/* Memory for one layer. */
struct adapting {
    struct quantize_layer *layer;
    struct weight_rows rows;
    double *factor, *scratch, *weight;
};

/* Round the weights of a channel in one part, whose factor is there. */
static void adapt_part(const struct adapting *a, int64_t row, int64_t first, int64_t count)
{
    int64_t *items = a->layer->other.data;

    for (int64_t i = 0; i < count; i++)
        a->weight[i] = (double)quantize_weight(a->layer, weight_at(&a->rows, row, first + i));
    for (int64_t i = 0; i < count; i++) {
        const struct weight_code code = quantize_code_of(a->layer, &a->rows, row, first + i);
        const double *factor = a->factor + i * count;
        const int64_t q = quantized_integer((float)a->weight[i] / code.scale, &code.s);
        const double off = a->weight[i] - (double)quantized_number(q, code.s.zero, code.scale);
        items[code.at] = q;
        for (int64_t k = i + 1; k < count; k++)
            a->weight[k] -= off / factor[i] * factor[k];
    }
}

static void adapt_group(const struct adapting *a, const struct moments *moments, int64_t group)
{
    const int64_t channels = a->rows.count / moments->groups;

    for (int64_t first = 0; first < moments->columns; first += MOMENTS_PART) {
        moments_factor(moments, group, first, a->factor, a->scratch);
        for (int64_t i = 0; i < channels; i++)
            adapt_part(a, group * channels + i, first, moments_part(moments, first));
    }
}

bool quantize_adapt(struct quantize_layer *layer, const struct moments *moments)
{
    const int64_t part = moments_part(moments, 0);
    const size_t square = (size_t)(part * part) * sizeof(double);
    const struct adapting a = {layer, weight_rows_of(layer), malloc(square), malloc(square),
                               malloc((size_t)part * sizeof(double))};
    const bool ok = a.factor && a.scratch && a.weight &&
                    tensor_allocate(&layer->other, DTYPE_INTEGER, &layer->items.shape);

    for (int64_t g = 0; g < moments->groups && ok; g++)
        adapt_group(&a, moments, g);
    free(a.factor);
    free(a.scratch);
    free(a.weight);
    return ok;
}

void quantize_use_adapted(struct quantize_plan *plan, bool adapted)
{
    for (int i = 0; i < plan->layers && adapted != plan->adapted; i++) {
        struct quantize_layer *layer = &plan->layer[i];
        const struct tensor items = layer->items;
        if (!layer->other.data)
            continue;
        layer->items = layer->other;
        layer->other = items;
    }
    plan->adapted = adapted;
}
