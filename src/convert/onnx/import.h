/*
 * import.h - a model of ONNX becomes a graph of NNEF's operations
 *
 * op_build() makes every node, so shapes are those of the shape rules.  The importer computes at
 * once all that is known when the model is read: initializers, constants, shapes, bound inputs,
 * and what follows from them.  Sizes must be known, too.  Small initializers become constants,
 * others variables with data.  Messages name a node by number, name, operator and byte.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_H
#define NNEFC_CONVERT_ONNX_IMPORT_H

#include "convert/proto/onnx.h"
#include "tensor/tensor.h"

struct context;
struct graph;
struct import_memory;
struct shape_override;

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

/* A file that an input will be fed with. */
struct onnx_fed {
    const char *input; /* NULL: of those without a file of their own the next one */
    const char *file;
    bool all;           /* an archive, with an array for each input */
    bool channels_last; /* in images */
};

/*
 * Inputs of a few items each that shapes, axes, branches or trips depend on.  An import that meets
 * one which is not bound adds its name here and makes no graph, without a report.
 */
struct onnx_deciding {
    const char **input; /* as the model calls them */
    int count;
};

struct onnx_import_options {
    const char *file;   /* for diagnostics */
    const char *folder; /* external data lie below it; NULL: there is no place for them */
    const struct shape_override *shapes; /* of inputs, instead of those in the file */
    int nshape;
    const struct onnx_extent *extents;
    int nextent;
    const struct onnx_bound *bounds;
    int nbound;
    const struct onnx_fed *fed; /* they have the extents that nobody gives (fed.h) */
    int nfed;
    struct import_memory **files;   /* external data stay open there; NULL: with the graph */
    struct onnx_deciding *deciding; /* NULL: what has to be known is reported */
    bool check_data;   /* compare digests of files of external data, which reads all of them */
    bool trust_shapes; /* where the file contradicts what is computed it is only warned of */
};

/*
 * NULL if anything was reported.  The variables of the graph have their tensors, which are views of
 * the bytes of the model and of *memory; that is the caller's to free, and NULL with the graph.
 */
struct graph *onnx_import(struct context *context, const struct onnx_model *model,
                          const struct onnx_import_options *options, struct import_memory **memory);

/* An extent that a model may leave open. */
struct open_dim {
    const char *name; /* NULL: none */
    int64_t extent;   /* as the model has it, or EXTENT_UNKNOWN */
};

/* An input of a model, which a client may call by either name. */
struct open_input {
    const char *name, *other; /* NULL: it has no other one */
    int rank;                 /* RANK_UNKNOWN: any */
    struct open_dim dim[MAX_RANK];
};

/*
 * The inputs and outputs of a model as parameters and results of a graph without nodes, in which
 * extents are unknown that the file and the options leave open.  *inputs describes its parameters.
 * Operators and their versions are checked; NULL after a report.
 */
struct graph *onnx_interface(struct context *context, const struct onnx_model *model,
                             const struct onnx_import_options *options, struct open_input **inputs);

#endif
