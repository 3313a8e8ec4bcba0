/*
 * dynamic.h - extents that an ONNX model leaves open
 *
 * A graph has fixed extents, so what a model would be like at others is seen from samples: graphs
 * that were lowered from the same text with other extents.  What is the same in all of them stays
 * as it is, a number that is a sum or a product of the open extents is computed when the model
 * runs, and what changes in any other way is refused with the operation it belongs to.
 */
#ifndef NNEFC_CONVERT_ONNX_DYNAMIC_H
#define NNEFC_CONVERT_ONNX_DYNAMIC_H

#include "convert/proto/onnx.h"
#include "ir/graph.h"
#include "convert/onnx/export_out.h"

/* An open extent: where it is found when the model runs, and what it is called. */
struct onnx_symbol {
    const char *name;
    const char *input; /* a graph parameter */
    int axis;
};

struct onnx_sample {
    const struct graph *graph;
    const int64_t *extent; /* by symbol */
};

/*
 * Sample 0 is the graph that is exported; others differ from it in one symbol or several, at least
 * two of them in each symbol alone, and what its remainders matter to must show in them.
 */
struct onnx_dynamic {
    const struct onnx_symbol *symbol;
    const struct onnx_sample *sample;
    int nsymbol, nsample;
};

/* Two lowerings of one text have the same nodes in the same order?  Else the first of `a` that `b`
 * does not have, or the last one. */
bool graph_same_nodes(const struct graph *a, const struct graph *b, const struct node **differs);

/* Which extents differ from those of sample 0, for messages: "axis 0 of 'x'". */
char *onnx_sample_text(const struct onnx_dynamic *dynamic, int sample);

struct onnx_options;

/* Let `model`, which `out` has just been filled with, be right at all extents.  False after
 * reports. */
bool onnx_make_dynamic(struct onnx_out *out, struct onnx_model *model,
                       const struct onnx_options *options);

#endif
