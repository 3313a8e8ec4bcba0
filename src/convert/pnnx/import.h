/*
 * import.h - a model of PNNX becomes a graph of NNEF's operations
 *
 * Converters (convert.h) make the nodes with the same functions as the import of ONNX, so that the
 * shape rules give the shapes, and what is known when the model is read is computed at once. All
 * extents of the inputs have to be known. An import runs on one thread.
 */
#ifndef NNEFC_CONVERT_PNNX_IMPORT_H
#define NNEFC_CONVERT_PNNX_IMPORT_H

#include "convert/pnnx/document.h"
#include "tensor/tensor.h"

struct context;
struct graph;
struct import_memory;

/* Extents to use for an input, which goes by the name of its operator or operand. */
struct pnnx_input_shape {
    const char *input;
    struct shape shape;
};

/* What a symbolic extent is, in all inputs that have it. */
struct pnnx_extent {
    const char *name;
    int64_t extent;
};

struct pnnx_import_options {
    const char *name; /* of the graph */
    const struct pnnx_input_shape *shapes;
    int nshape;
    const struct pnnx_extent *extents;
    int nextent;
    bool trust_shapes; /* where the text contradicts what is computed it is only warned of */
};

/*
 * Is each operator, and each type of items, supported?  Weights need not be there. False after a
 * report for each one that is not.
 */
bool pnnx_check_operators(struct context *context, const struct pnnx_document *document);

/*
 * NULL if anything was reported. All operators are supported, and all attributes have their data.
 * The variables of the graph have their tensors, which are views of these data and of *memory. The
 * caller frees *memory, which is NULL if the graph is. The graph lies in the context's arena.
 */
struct graph *pnnx_import(struct context *context, const struct pnnx_document *document,
                          const struct pnnx_import_options *options, struct import_memory **memory);

#endif
