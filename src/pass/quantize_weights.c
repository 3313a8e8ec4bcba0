/*
 * quantize_weights.c - the integers of weights
 *
 * By channels they are symmetric to 0, so that a sum has no zero of the weights.  In blocks, where
 * numbers are made of them before all else, integers of 4 bits have a zero: with the search for a
 * range that is worth 1 to 2 dB.
 */
#include "pass/quantize_weights.h"

#include "diag/context.h"
#include "ir/graph.h"
#include "pass/edit.h"

#include <stdlib.h>

enum { WEIGHTS = 1 };

/* --- rows ------------------------------------------------------------------------------------ */

struct weight_rows weight_rows_of(const struct quantize_layer *layer)
{
    const struct shape *shape = layer->node->in[WEIGHTS].value->shape;
    const int64_t count = shape->extent[layer->axis];

    return (struct weight_rows){count, shape_volume(shape) / count,
                                shape_volume_range(shape, layer->axis + 1, shape->rank)};
}

float quantize_weight(const struct quantize_layer *layer, int64_t at)
{
    return (float)value_item(layer->node->in[WEIGHTS].value, at);
}

/* --- by channels ------------------------------------------------------------------------------ */

static float largest_of(const struct quantize_layer *layer, const struct weight_rows *rows,
                        int64_t row)
{
    float largest = 0;

    for (int64_t i = 0; i < rows->columns; i++)
        largest = fmaxf(largest, fabsf(quantize_weight(layer, weight_at(rows, row, i))));
    return largest;
}

/* Integers that are symmetric to 0. */
static struct saturation symmetric(int bits)
{
    const int64_t most = (INT64_C(1) << (bits - 1)) - 1;

    return (struct saturation){0, -most, most};
}

void quantize_channel(const struct quantize_layer *layer, int64_t channel, float scale,
                      int64_t *items)
{
    const struct weight_rows rows = weight_rows_of(layer);
    const struct saturation s = symmetric(layer->bits);

    for (int64_t i = 0; i < rows.columns; i++) {
        const int64_t at = weight_at(&rows, channel, i);
        items[at] = quantized_integer(quantize_weight(layer, at) / scale, &s);
    }
}

float quantize_scale_of(const struct quantize_layer *layer, int64_t channel)
{
    return ((const float *)layer->scale.data)[shape_volume(&layer->scale.shape) > 1 ? channel : 0];
}

/* A positive scale by which the largest number becomes the largest integer. */
static float step_of(float largest, int bits)
{
    const float most = (float)symmetric(bits).high;

    return fmaxf(largest > 0 ? largest / most : 1 / most, 0x1p-79F);
}

/* One item for all channels, or one for each of those along the axis. */
static struct shape shape_along(int axis, int64_t count)
{
    struct shape shape = {.rank = count > 1 ? axis + 1 : 0};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == axis ? count : 1;
    return shape;
}

static bool by_channels(struct quantize_layer *layer, bool per_tensor)
{
    const struct weight_rows rows = weight_rows_of(layer);
    const struct shape each = shape_along(layer->axis, per_tensor ? 1 : rows.count);
    float largest = 0;

    if (!tensor_allocate(&layer->items, DTYPE_INTEGER, layer->node->in[WEIGHTS].value->shape) ||
        !tensor_allocate(&layer->scale, DTYPE_SCALAR, &each))
        return false;
    for (int64_t i = 0; i < rows.count && per_tensor; i++)
        largest = fmaxf(largest, largest_of(layer, &rows, i));
    for (int64_t i = 0; i < rows.count; i++) {
        const float most = per_tensor ? largest : largest_of(layer, &rows, i);
        const float step = step_of(most, layer->bits);
        ((float *)layer->scale.data)[shape_volume(&each) > 1 ? i : 0] = step;
        quantize_channel(layer, i, step, layer->items.data);
    }
    return true;
}

/* --- in blocks -------------------------------------------------------------------------------- */

/* How a block is quantized, and the sum of squares that is lost. */
struct block_code {
    float scale;
    struct saturation s;
    double lost;
};

static void measure_block(const float *x, int64_t count, struct block_code *code)
{
    code->lost = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t q = quantized_integer(x[i] / code->scale, &code->s);
        const double off = (double)x[i] - (double)quantized_number(q, code->s.zero, code->scale);
        code->lost += off * off;
    }
}

/* The best of some ranges, from that of the block, and 0, on: narrow ones cut off what is rare, and
 * round the rest less. */
static struct block_code best_code(const float *x, int64_t count, int bits)
{
    enum { TRIED = 8 };
    const int64_t half = INT64_C(1) << (bits - 1);
    struct block_code best = {.lost = HUGE_VAL};
    float low = 0, high = 0;

    for (int64_t i = 0; i < count; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    for (int i = 0; i < TRIED; i++) {
        const float part = 1 - 0.05F * (float)i;
        struct block_code code = {.s = {0, -half, half - 1}};
        code.scale = fmaxf(high * part - low * part, 0x1p-79F) / (float)(2 * half - 1);
        code.s.zero = -half + (int64_t)rintf(-low * part / code.scale);
        measure_block(x, count, &code);
        if (code.lost < best.lost)
            best = code;
    }
    return best;
}

static struct block_code symmetric_code(const float *x, int64_t count, int bits)
{
    float largest = 0;

    for (int64_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(x[i]));
    return (struct block_code){.scale = step_of(largest, bits), .s = symmetric(bits)};
}

static void round_block(struct quantize_layer *layer, int64_t index, const float *x)
{
    const struct block_code code = layer->zero.data ? best_code(x, layer->block, layer->bits)
                                                    : symmetric_code(x, layer->block, layer->bits);
    int64_t *items = (int64_t *)layer->items.data + index * layer->block;

    ((float *)layer->scale.data)[index] = code.scale;
    if (layer->zero.data)
        ((int64_t *)layer->zero.data)[index] = code.s.zero;
    for (int64_t i = 0; i < layer->block; i++)
        items[i] = quantized_integer(x[i] / code.scale, &code.s);
}

static bool in_blocks(struct quantize_layer *layer)
{
    const struct weight_rows rows = weight_rows_of(layer);
    const int64_t blocks = rows.columns / layer->block;
    const struct shape items = {.rank = 3, .extent = {rows.count, blocks, layer->block}};
    const struct shape each = {.rank = 3, .extent = {rows.count, blocks, 1}};
    float *x = malloc((size_t)layer->block * sizeof *x);

    bool ok = x && tensor_allocate(&layer->items, DTYPE_INTEGER, &items) &&
              tensor_allocate(&layer->scale, DTYPE_SCALAR, &each) &&
              (layer->bits > 4 || tensor_allocate(&layer->zero, DTYPE_INTEGER, &each));
    for (int64_t i = 0; i < rows.count * blocks && ok; i++) {
        for (int64_t k = 0; k < layer->block; k++)
            x[k] =
                quantize_weight(layer, weight_at(&rows, i / blocks, i % blocks * layer->block + k));
        round_block(layer, i, x);
    }
    free(x);
    return ok;
}

/* --- all layers ------------------------------------------------------------------------------- */

bool quantize_weights(struct quantize_plan *plan, bool per_tensor)
{
    bool ok = true;

    for (int i = 0; i < plan->layers && ok; i++) {
        struct quantize_layer *layer = &plan->layer[i];
        if (layer->kept)
            continue;
        ok = layer->block > 0 ? in_blocks(layer) : by_channels(layer, per_tensor);
        if (!ok)
            diag_file_error(plan->graph->context->diag, NULL, DIAG_MEMORY_LIMIT,
                            "integers of weights of shape %s take more memory than is left",
                            SHAPE_TEXT(layer->node->in[WEIGHTS].value->shape));
    }
    return ok;
}

void quantize_weights_free(struct quantize_plan *plan)
{
    for (int i = 0; i < plan->layers; i++) {
        tensor_clear(&plan->layer[i].items);
        tensor_clear(&plan->layer[i].scale);
        tensor_clear(&plan->layer[i].zero);
        tensor_clear(&plan->layer[i].other);
    }
}

struct weight_code quantize_code_of(const struct quantize_layer *layer,
                                    const struct weight_rows *rows, int64_t row, int64_t column)
{
    const int64_t index = row * rows->columns + column, *zeros = layer->zero.data;
    struct weight_code code = {.s = symmetric(layer->bits)};

    if (layer->block == 0) {
        code.at = weight_at(rows, row, column);
        code.scale = quantize_scale_of(layer, row);
        return code;
    }
    code.at = index;
    code.scale = ((const float *)layer->scale.data)[index / layer->block];
    if (zeros) {
        code.s.low--;
        code.s.zero = zeros[index / layer->block];
    }
    return code;
}

/* What the integer of a weight stands for. */
static float number_of(const struct quantize_layer *layer, const struct weight_rows *rows,
                       int64_t row, int64_t column)
{
    const struct weight_code code = quantize_code_of(layer, rows, row, column);

    return quantized_number(((const int64_t *)layer->items.data)[code.at], code.s.zero, code.scale);
}

void quantize_weights_error(const struct quantize_layer *layer, double *signal, double *noise)
{
    const struct weight_rows rows = weight_rows_of(layer);

    *signal = *noise = 0;
    for (int64_t k = 0; k < rows.count; k++)
        for (int64_t i = 0; i < rows.columns; i++) {
            const double w = (double)quantize_weight(layer, weight_at(&rows, k, i));
            const double off = w - (double)number_of(layer, &rows, k, i);
            *signal += w * w;
            *noise += off * off;
        }
}
