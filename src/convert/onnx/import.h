/*
 * import.h - a model of ONNX becomes a graph of NNEF's operations
 *
 * Every node is made by op_build(), so that shapes are those of the shape rules.  What is known when
 * the model is read (initializers, constants, shapes, inputs that are bound, and whatever follows
 * from these) is computed at once; sizes must be known, too.  Initializers of some size become
 * variables with data, others constants.  Nodes are reported by number, name, operator and byte.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_H
#define NNEFC_CONVERT_ONNX_IMPORT_H

#include "convert/proto/onnx.h"
#include "tensor/tensor.h"

struct context;
struct graph;
struct import_memory;

/* Extents to use for an input instead of those in the file. */
struct onnx_input_shape {
    const char *input;
    struct shape shape;
};

/* What a symbolic extent is, in all inputs that have it. */
struct onnx_extent {
    const char *name;
    int64_t extent;
};

/* An input that is known: no input of the graph, but a constant. */
struct onnx_bound {
    const char *input;
    struct tensor tensor; /* borrowed, as long as the import lasts */
};

struct onnx_import_options {
    const char *file;   /* for diagnostics */
    const char *folder; /* external data lie below it; NULL: there is no place for them */
    const struct onnx_input_shape *shapes;
    int nshape;
    const struct onnx_extent *extents;
    int nextent;
    const struct onnx_bound *bounds;
    int nbound;
};

/*
 * NULL if anything was reported.  The variables of the graph have their tensors, which are views of
 * the bytes of the model and of *memory; that is the caller's to free, and NULL with the graph.
 */
struct graph *onnx_import(struct context *context, const struct onnx_model *model,
                          const struct onnx_import_options *options, struct import_memory **memory);

#endif
