/*
 * dynamic.h - extents that an ONNX model leaves open
 *
 * A graph has fixed extents, so the model at other extents is known from samples: graphs that were
 * made of the same text, or file, with other extents.  Whatever is the same in all of them stays as
 * it is.  A number that is a sum or a product of the open extents is computed when the model runs.
 * Anything that changes in another way is refused, with the operation it belongs to.
 *
 * dynamic_sample.c makes the samples, dynamic.c compares their models, and dynamic_extent.c makes
 * the nodes that compute numbers.
 */
#ifndef NNEFC_CONVERT_ONNX_DYNAMIC_H
#define NNEFC_CONVERT_ONNX_DYNAMIC_H

#include "base/map.h"
#include "convert/onnx/export.h"
#include "convert/onnx/export_out.h"
#include "lower/trace.h"

struct onnx_group; /* the nodes of ONNX that a node of the graph became */

/* A graph at some extents, and its model, which is made to be compared. */
struct dynamic_sample {
    const struct graph *graph;
    const int64_t *extent; /* by symbol */
    const struct onnx_model *model;
    const struct node **node; /* of the graph, by id */
    struct onnx_group *group; /* by id; one more for what belongs to no node */
    struct map initializers;  /* by name, interned */
    struct map infos;         /* of inputs, outputs and values, likewise */
};

/*
 * Sample 0 is the graph that is exported.  The others differ from it in one symbol or several, at
 * least two of them in each symbol alone; whatever depends on remainders shows in them.
 */
struct dynamic {
    struct context *context;
    const struct onnx_open *open;
    struct onnx_symbol *symbol; /* one for each name: where its extent is found at run time */
    struct dynamic_sample *sample;
    int nsymbol, nsample;
    int *symbol_of;             /* by item of `open` */
    int64_t *unit;              /* by symbol: it changes in steps of so many */
    struct lower_trace decided; /* by the text, in sample 0 */
    struct onnx_out *out;
    struct onnx_node_list nodes; /* that compute numbers, to be put at the beginning */
    struct map names;            /* of their results, by interned text of what they compute */
};

/* The model of a graph whose extents are all fixed; NULL after reports.  `initial` as for
 * onnx_export().  *out is begun, and knows what each node was made for, until onnx_out_clear(). */
struct onnx_model *onnx_fill_model(struct onnx_out *out, const struct graph *graph,
                                   const struct onnx_options *options, struct npz_list *initial);

/* Checks what `open` asks for and makes enough samples; all in the arena of the graph.  NULL after
 * reports. */
struct dynamic *dynamic_sample(const struct graph *graph, const struct onnx_open *open);

/* Lets `model`, which `out` has just been filled with, be right at all extents.  False after
 * reports. */
bool dynamic_merge(struct dynamic *d, struct onnx_out *out, struct onnx_model *model,
                   const struct onnx_options *options);

/* Which extents of a sample differ from those of sample 0, for messages: "axis 0 of 'x'". */
const char *dynamic_text(const struct dynamic *d, int sample);

#define SAMPLED_AS_IT_IS INT64_MIN

/* Items of the same tensor in each sample. */
struct sampled_tensor {
    const struct onnx_tensor *const *tensor; /* by sample; INT64, of one shape */
    int count;                               /* items */
    const int64_t *instead; /* by item, what stands for it, or SAMPLED_AS_IT_IS; NULL: nothing */
};

int64_t sampled_item(const struct sampled_tensor *tensor, int sample, int item);
bool sampled_item_varies(const struct dynamic *d, const struct sampled_tensor *tensor, int item);
bool sampled_item_has_form(const struct dynamic *d, const struct sampled_tensor *tensor, int item);

/* Whether a number, value[k] in sample k, is a sum of multiples of extents. */
bool dynamic_is_sum(const struct dynamic *d, const int64_t *value);

/*
 * The name of a tensor that is in each sample what `tensor` is; NULL if there is no way.  Each of
 * its items is a sum of multiples of extents or a multiple of a product of them.  Its nodes are
 * named by what they compute: "2*batch+1".
 */
const char *dynamic_tensor(struct dynamic *d, const struct sampled_tensor *tensor);

#endif
