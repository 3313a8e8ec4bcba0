/* import_priv.h - what an import has in hand */
#ifndef NNEFC_ONNX_IMPORT_PRIV_H
#define NNEFC_ONNX_IMPORT_PRIV_H

#include "base/map.h"
#include "onnx/import.h"
#include "onnx/take.h"
#include "op/op.h"
#include "tensor/labels.h"

/* Names of tensors; those of the graph around are seen from within. */
struct scope {
    struct map entries;
    struct scope *outer;
};

struct import {
    struct context *context;
    const struct onnx_model *model;
    const struct onnx_import_options *options;
    struct graph *graph;
    struct graph *folding; /* of nodes that are computed at once */
    struct labels labels;
    struct map
        names; /* of values: those that are taken, and those of tensors of the graph itself */
    struct onnx_memory *memory;
    struct entry faulty; /* stands for what was reported */
    int64_t work;        /* nodes read so far, again for each trip of a loop */
    bool ended;          /* a limit was reached: nothing more is read */
    int depth;           /* of functions and graphs in attributes */
};

/* What takes an operator. */
struct operator_row {
    const char *type;
    int min, max; /* inputs */
    take_function *take;
};

/* False if nothing takes the operator of a node. */
bool operator_find(const struct onnx_node *node, struct operator_row *row);

/* A one-to-one operator: by its descriptor. */
take_function take_same;

/* The nodes of a graph or function, in a scope of their own. */
struct body {
    const struct onnx_node *first;
    const struct onnx_opset *opsets;
    const struct onnx_node *caller; /* of the function; NULL: none */
    const char *where;              /* "": the graph of the model */
};
bool import_body(struct import *import, struct scope *scope, const struct body *body);

/* A graph in an attribute: its inputs, as many as it has, and its outputs; false after a report. */
bool import_subgraph(struct take *t, const struct onnx_graph *graph, struct entry *const *in,
                     struct entry **out);

/* initial.c: an initializer or constant; NULL after a report */
struct entry *import_tensor(struct import *import, const struct onnx_tensor *tensor);

/* The label of a variable, legal and unique, after `name`. */
const char *import_label(struct import *import, const char *name);

/* Memory of a tensor that lasts as long as the variables. */
struct tensor *import_keep(struct import *import, const struct tensor *tensor);

/* Tensors by name: as seen from a scope, and of that scope itself. */
struct entry *import_find(const struct import *import, const struct scope *scope, const char *name);
bool import_has(const struct import *import, const struct scope *scope, const char *name);
void import_bind(struct import *import, struct scope *scope, const char *name, struct entry *entry);

/*
 * A name for a value of the graph, NULL if it is another's: tensors within functions and graphs in
 * attributes, `inner`, leave those of the graph itself alone.
 */
const char *import_claim(struct import *import, const char *name, bool inner);

/* The result of a node that has no name yet goes by this one. */
void import_name(struct import *import, struct entry *entry, const char *name);

/* Report a fault of the file; false. */
bool import_fault(const struct import *import, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* ports.c: what the graph of the model is fed with, and what it shows */
bool import_inputs(struct import *import, struct scope *scope);
bool import_outputs(struct import *import, const struct scope *scope);

struct entry *entry_new(struct import *import, const char *name, int32_t type,
                        const struct shape *shape);
struct entry *entry_known(struct import *import, const char *name, int32_t type,
                          const struct tensor *tensor);
struct entry *entry_of_value(struct import *import, const char *name, int32_t type,
                             struct value *value);

/* In the graph: a constant or variable if it is known. NULL after a report. */
struct value *entry_value(struct take *t, struct entry *entry);

/* fold.c: integers in 64 bits.  False if the operation is not one of those; t->failed after a report */
bool fold_integers(struct take *t, enum op_id op, struct entry *const *in, int count,
                   struct entry **out);

#endif
