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
struct shared;
struct shared_user;

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
enum { ONNX_DECIDING_MAX = 64 /* items of all that one thing is computed from */ };

/* Are there few enough items?  Of floating-point numbers fewer may decide than of others. */
bool onnx_may_decide(enum dtype dtype, const struct shape *shape);

struct onnx_deciding {
    const char **input; /* as the model calls them */
    int count;
};

/* A tensor, or a sequence of some, that one part of a graph computes and another one reads. */
struct onnx_slot {
    const char *name;
    int32_t type; /* enum onnx_data_type */
    struct shape shape;
    const struct tensor *known;   /* its items, borrowed; NULL: known only when running */
    const struct onnx_slot *list; /* of a sequence: its tensors; NULL: a tensor */
    int count;                    /* of the sequence */
};

/* Which tensor a parameter or result of a part is. */
struct onnx_place {
    const char *name;
    int at;       /* of the sequence of that name; -1: the tensor of that name */
    int32_t type; /* enum onnx_data_type */
};

/* A call of a function of the model, within that of another one; NULL: within none. */
struct onnx_call {
    const struct onnx_node *node;
    const struct onnx_function *function;
    const struct onnx_call *outer;
};

/*
 * A part of a graph: its nodes from `first` on, in their order, up to one that has to know what is
 * computed.  The graph is that of the model, or a body within it, whose outer graphs are `around`.
 * Tensors of other parts, and inputs of a body, are parameters, or constants if they are known.
 * Results are what nodes behind the part read, and outputs of the graph.
 */
struct onnx_part {
    const struct onnx_graph *graph;
    const struct onnx_graph *const *around; /* the innermost first; NULL behind the last */
    const struct onnx_call *caller;         /* that it is within; NULL: in no function */
    int first;
    bool single; /* only that node, all of whose operands are known */
    const struct onnx_slot *slots;
    int nslot;

    /* set by the import: */
    int end;                 /* the node that cuts, or the number of nodes */
    bool within;             /* it is a graph within node `end` that has to know what it computes */
    const char *place, *why; /* of the cut, for reports */
    struct onnx_place *inputs;  /* of the graph */
    struct onnx_place *results; /* of the graph */
    struct onnx_slot *lists;    /* sequences, whose tensors are results */
    int nlist;
    struct known_result {
        struct onnx_place place;
        const struct tensor *tensor;
    } * known; /* results that are none of the graph */
    int nknown;
};

/* The nodes of a model and of the graphs within, looked up and sorted once. */
struct onnx_order;
struct text;
struct file_view;

/* Initializers of the model's graph that an import has read, for those that follow. */
struct onnx_initial {
    struct shared_user *holder;   /* of their tensors */
    const struct tensor **tensor; /* in their order, NULL: not read yet; no list: none is kept */
};

struct onnx_import_options {
    const char *file;             /* for diagnostics */
    const struct file_view *view; /* the mapped file of the model; NULL: it is none */
    const char *folder;           /* external data lie below it; NULL: there is no place for them */
    const struct shape_override *shapes; /* of inputs, instead of those in the file */
    int nshape;
    const struct onnx_extent *extents;
    int nextent;
    const struct onnx_bound *bounds;
    int nbound;
    const struct onnx_fed *fed; /* they have the extents that nobody gives (fed.h) */
    int nfed;
    const struct onnx_order *order; /* NULL: made anew */
    struct onnx_initial initial;
    struct onnx_part *part;  /* NULL: the whole model */
    const char *const *kept; /* of a part: tensors of its graph that are results of it, too */
    int nkept;
    struct import_memory **files;   /* external data stay open there; NULL: with the graph */
    struct onnx_deciding *deciding; /* NULL: what has to be known is reported */
    bool check_data;   /* compare digests of files of external data, which reads all of them */
    bool trust_shapes; /* where the file contradicts what is computed it is only warned of */
};

enum { ONNX_DEPTH_MAX = 64 /* functions and graphs in one another */ };

/*
 * Names of the model are those of the context (onnx_intern_names()).  NULL if anything was
 * reported.  The variables of the graph have their tensors, which are views of the bytes of the
 * model and of *memory; that is the caller's to free, and NULL with the graph.
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
    int32_t type; /* ONNX: enum onnx_data_type */
};

/*
 * The inputs and outputs of a model as parameters and results of a graph without nodes, in which
 * extents are unknown that the file and the options leave open.  *inputs describes its parameters.
 * Operators and their versions are checked; NULL after a report.
 */
struct graph *onnx_interface(struct context *context, const struct onnx_model *model,
                             const struct onnx_import_options *options, struct open_input **inputs,
                             struct onnx_order **order);

/* Names of tensors and attributes of a model are those of the context from then on: equal ones have
 * one address. */
void onnx_intern_names(const struct context *context, struct onnx_model *model);

/* What a body declares of an item that a loop without trips collects, with extents of 0 for those
 * that it leaves open.  DTYPE_UNKNOWN: not even its type. */
enum dtype onnx_declared_item(const struct onnx_value_info *output, int32_t *type,
                              struct shape *shape);

/* The caller frees what an interface has made. */
void onnx_order_free(struct onnx_order *order);

/* Make room for the initializers of a model, unless that was done; they are shared. */
void onnx_initial_begin(struct onnx_initial *initial, const struct onnx_model *model,
                        struct shared *shared);
void onnx_initial_free(struct onnx_initial *initial);

/*
 * What nodes of a part and those behind it, and outputs of the graph, read of other parts: names in
 * the arena of the context, each once, NULL behind the last.
 */
const char **onnx_part_reads(struct context *context, const struct onnx_order *order,
                             const struct onnx_part *part);

/* An attribute of a node, be it one of the calls that the node is within; NULL if there is none. */
const struct onnx_attribute *onnx_node_attribute(const struct onnx_node *node,
                                                 const struct onnx_call *call, const char *name);

/* The body of a function as a graph, with names of the context. */
struct onnx_graph *onnx_function_graph(const struct context *context,
                                       const struct onnx_function *function);

/* The function of the model that node `index` of a graph calls; NULL: it calls none. */
const struct onnx_function *onnx_order_function(const struct onnx_order *order,
                                                const struct onnx_graph *graph, int index);

/* Node `index` of a graph, in the order of parts; NULL: there are no more. */
const struct onnx_node *onnx_order_node(const struct onnx_order *order,
                                        const struct onnx_graph *graph, int index);
/* Does a graph, or one within, read its input of that name? */
bool onnx_order_reads(const struct onnx_order *order, const struct onnx_graph *graph,
                      const char *input);

void onnx_order_title(const struct onnx_order *order, const struct onnx_graph *graph, int index,
                      struct text *title); /* "node 3 'step' (Loop)" */

#endif
