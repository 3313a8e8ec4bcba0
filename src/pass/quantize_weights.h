/*
 * quantize_weights.h - weights of layers as rows, one for each channel, and their integers
 */
#ifndef NNEFC_PASS_QUANTIZE_WEIGHTS_H
#define NNEFC_PASS_QUANTIZE_WEIGHTS_H

#include "pass/quantize_graph.h"

#include "tensor/quantization.h"

/* How the items of one channel lie in the weights. */
struct weight_rows {
    int64_t count, columns; /* channels, and weights of each */
    int64_t inner;          /* neighbours of one channel */
};

struct weight_rows weight_rows_of(const struct quantize_layer *layer);

/* Where the weight of a row is, among all items. */
static inline int64_t weight_at(const struct weight_rows *rows, int64_t row, int64_t column)
{
    return ((column / rows->inner) * rows->count + row) * rows->inner + column % rows->inner;
}

/* The weight itself, by its place among all. */
float quantize_weight(const struct quantize_layer *layer, int64_t at);

/* How one weight is quantized, and where its integer is among the items. */
struct weight_code {
    int64_t at;
    float scale;
    struct saturation s;
};

struct weight_code quantize_code_of(const struct quantize_layer *layer,
                                    const struct weight_rows *rows, int64_t row, int64_t column);

/* The scale of a channel of a layer without blocks. */
float quantize_scale_of(const struct quantize_layer *layer, int64_t channel);

/* Round the weights of a channel by that scale to the nearest of `items`, which are of the layer.
 */
void quantize_channel(const struct quantize_layer *layer, int64_t channel, float scale,
                      int64_t *items);

struct pass;

/* Items that stand for a variable, whose name and label they take over if nothing else reads it.
 * Takes over the tensor. */
struct value *quantize_stand_in(struct pass *pass, struct tensor *items, struct value *like);

#endif
