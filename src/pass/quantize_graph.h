/*
 * quantize_graph.h - a graph of numbers as one whose layers are of quantized values
 *
 * What enters a layer, a sum of products with constant weights, is quantized, and so is what enters
 * an add between layers; nothing is between a layer and what follows up to there.  Moves, concats
 * and maxima of windows share the quantization of what they read.  The new graph says so by pairs
 * of 'quantize' and 'dequantize', and by 'dequantize' of integer variables.
 */
#ifndef NNEFC_PASS_QUANTIZE_GRAPH_H
#define NNEFC_PASS_QUANTIZE_GRAPH_H

#include "tensor/quantization.h"
#include "tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

struct graph;
struct node;
struct retained_tensor;
struct value;

/* A sum of products that may be quantized. */
struct quantize_layer {
    const struct node *node; /* of the graph that was looked at */
    bool kept;               /* as numbers, because the caller wants that */
    bool enabled;
    int axis;         /* of the weights, along which channels of the result are */
    int64_t channels; /* of the result */
    int bits;         /* of the integers of the weights */
    int64_t block;    /* a scale for each so many weights of a channel; 0: for all of them */

    /*
     * The weights.  By channels the integers have the shape of these, and `scale` one item, or one
     * for each channel.  In blocks they are [channels,blocks,block], and scale and zero
     * [channels,blocks,1]; without `zero` it is 0.
     */
    struct tensor items, scale, zero;
    struct tensor other; /* items that were rounded in the other way, see quantize_adapt() */
    /* Of the bias, by channel, where what the layer reads has 8 bits, and where it has 16; NULL:
     * there is none. */
    float *correction[2];
};

/* Values of one quantization. */
struct quantize_group {
    float scale;
    int64_t zero;
    bool wide; /* 16 bits, else 8 */
};

/* The integers of a group, with its zero: from 0 to 255, or from -32768 to 32767. */
struct saturation quantize_integers(const struct quantize_group *group);

/* What a caller wants of a plan. */
struct quantize_wish {
    bool numbers;  /* what enters a layer stays numbers */
    int bits;      /* of weights: 8, or in blocks 4 or 8 */
    int64_t block; /* products have a scale for each so many weights; nothing else is a layer; 0: no
                      blocks */
    bool small;    /* of blocks: take small layers, too */
    bool (*keeps)(const void *data, const struct node *node); /* the layer stays as numbers */
    const void *data;
};

/* What may be quantized in a graph, and how.  Ids are those of the graph, a fresh copy. */
struct quantize_plan {
    struct graph *graph;
    struct quantize_layer *layer;
    struct quantize_group *group;
    int layers, groups;
    int *group_of;         /* by value id; -1: it stays as it is */
    int *layer_of;         /* by node id; -1: it is no layer */
    unsigned char *reads;  /* by node id: bits of the operands that are read quantized */
    unsigned char *direct; /* by value id: a layer or an add reads it, so it has a range to find */
    bool numbers;          /* what enters a layer stays numbers */
    bool correct;          /* add the corrections to the biases */
    bool adapted;          /* the items are those that quantize_adapt() has made */
    bool gives;            /* the next graph takes over the weights, others look at them */
};

/* All lives in the arena of the graph; no layer is enabled and has weights yet. */
struct quantize_plan *quantize_find(struct graph *graph, const struct quantize_wish *wish);

/*
 * Make the integers of the weights of all layers that are not kept: by channels or for the tensor
 * symmetric to 0.  False after a report.
 */
bool quantize_weights(struct quantize_plan *plan, bool per_tensor);
void quantize_weights_free(struct quantize_plan *plan);

/* Let a graph that is quantized compute with numbers, between the bounds that its integers have.
 * False after a report. */
bool quantize_undo(struct graph *graph, struct retained_tensor **kept);

/*
 * Scale channels between two layers in `graph`, a fresh copy of the graph of the plan, so that
 * weights on both sides are as large.  *any: are there such layers?  False after a report.
 */
bool quantize_equalize(const struct quantize_plan *plan, struct graph *graph,
                       struct retained_tensor **kept, bool *any);

/* Of the weights and of what their integers stand for: sums of squares. */
void quantize_weights_error(const struct quantize_layer *layer, double *signal, double *noise);

/* The group of what the layer reads; NULL: that is no integers. */
struct quantize_group *quantize_group_of(const struct quantize_plan *plan,
                                         const struct quantize_layer *layer);

/* Do layers or adds that are enabled read values of the group quantized?  By group. */
void quantize_used(const struct quantize_plan *plan, bool *used);

/*
 * Quantize `graph`, a fresh copy of the graph of the plan, in the layers that are enabled.  False
 * after a report.
 */
bool quantize_apply(const struct quantize_plan *plan, struct graph *graph,
                    struct retained_tensor **kept);

/*
 * Leave `graph` as it is, but add for each enabled layer the mean by channel of what quantizing
 * takes away from its result: difference[] by layer, NULL for layers without a bias.
 */
bool quantize_add_differences(const struct quantize_plan *plan, struct graph *graph,
                              struct retained_tensor **kept, struct value **difference);

#endif
