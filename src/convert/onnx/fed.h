/*
 * fed.h - extents that a model leaves open, as the files have them that its inputs are fed with
 *
 * Only their headers are read, and only of inputs with such extents.  What the caller gives goes
 * before them; whether a file fits the rest of a shape is seen when it is fed.
 */
#ifndef NNEFC_CONVERT_ONNX_FED_H
#define NNEFC_CONVERT_ONNX_FED_H

#include "convert/onnx/import.h"

struct context;

/* The end of the help for who has to give extents. */
#define FED_HELP "'run' and 'compare' take them from the files of inputs."

struct fed_dim {
    const char *name; /* NULL: none */
    int64_t extent;   /* as the model has it, or EXTENT_UNKNOWN */
};

/* An input of the model, in its order.  A client calls it by either name. */
struct fed_input {
    const char *name, *other; /* NULL: it has no other one */
    int rank;                 /* RANK_UNKNOWN: any */
    struct fed_dim dim[MAX_RANK];
};

/*
 * Add the extents to the options: by name, and as shapes of inputs.  False after a report: a file
 * cannot be read, has another rank, or has another extent of the same name than one before; or an
 * extent stays open, and a file is for an input that there is not.
 */
bool fed_extents(struct context *context, const struct fed_input *inputs, int count,
                 struct onnx_import_options *options);

#endif
