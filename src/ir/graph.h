/*
 * graph.h - values, nodes and the graph that owns them
 *
 * A value is a tensor that is fed (external), stored (variable), written in the text (constant)
 * or computed (result of one node).  Nodes stand in an order in which they can run: each after
 * the producers of its operands.  Operands and uses mirror each other.  Everything lives in the
 * arena of the compilation.  The graph keeps names of the world outside apart from its values:
 * inputs and outputs are (name, value) pairs in the order of the declaration.
 */
#ifndef NNEFC_IR_GRAPH_H
#define NNEFC_IR_GRAPH_H

#include "diag/source.h"
#include "ir/datum.h"
#include "tensor/item.h"
#include "tensor/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct op_desc;
struct text;

enum { VALUE_PORTS = (1 << 24) - 1 }; /* most results of a node */
enum value_kind { VALUE_RESULT, VALUE_EXTERNAL, VALUE_VARIABLE, VALUE_CONSTANT };

/* The origin of a value that no node computes. */
struct source {
    const char *label;        /* VARIABLE: which file holds it, unless `made` */
    struct tensor *tensor;    /* CONSTANT: always, a single item standing for all items of the
                              value's shape; VARIABLE: once weights are loaded; else NULL */
    const struct node *quant; /* VARIABLE: its entry of the quantization file, a node of another
                                 graph with constant operands behind the first; of integers that
                                 stand for scalars, the 'quantize' that makes them; NULL: none */
    struct span span;         /* where it is introduced */
    struct span label_span;   /* VARIABLE: where its label is, or the same */
    bool made;                /* VARIABLE: no file of a model of NNEF holds the tensor */
    bool updated;             /* VARIABLE: an update changes it; passes find out */
    struct value *value;
    struct source *next; /* in the graph's list of its kind */
};

/* A tensor of the graph. */
struct value {
    const char *name;          /* identifier of the graph body; NULL for a constant literal or a
                                  tensor that appeared in an expansion */
    const struct shape *shape; /* shared: see graph_shape() */
    union {
        struct node *producer; /* RESULT */
        struct source *source; /* others */
    };
    struct use *uses;
    uint32_t id;        /* dense, from 0: index for tables by value */
    unsigned kind : 4;  /* enum value_kind */
    unsigned dtype : 4; /* enum dtype */
    unsigned port : 24; /* RESULT: which result of its producer */
};

/* One operand of a node: x + x is two uses of x. */
struct use {
    struct value *value;
    struct node *node;
    struct use *next, **link; /* in the list of the value's uses */
};

/* A fragment that was expanded on the way to a node; NULL is the graph body. */
struct call_site {
    const char *file;               /* not NULL: a node of that file, which is no text */
    const struct call_site *caller; /* of the body that the invocation stands in */
    const char *fragment;           /* its name, or which node of `file`; NULL: all of it */
    struct span invocation;
    int depth;     /* fragments around it, this one included */
    bool standard; /* its body is the library's: a fault in it is shown at the invocation */
};

/* One operation. */
struct node {
    const struct op_desc *op;
    const void *attrs;            /* struct of the operator's family */
    struct value *out;            /* nout results */
    const int *group;             /* items per array-valued tensor parameter, -1 for a single
                                     tensor; NULL when the operator's descriptor says it all */
    const struct call_site *site; /* expansions it came through */
    int64_t work;                 /* items that windows and sums of products read; 0 if neither */
    struct span span;             /* invocation or operator that made it */
    struct node *next, *prev;
    uint32_t id, nin, nout; /* ids are dense, from 0 */
    enum dtype generic;     /* what '?' stands for; UNKNOWN if the operator is not generic */
    struct use in[];
};

/* An input or output. */
struct port {
    const char *name;
    struct value *value;
    struct span span;         /* where it is declared */
    struct item_format items; /* what a foreign model has there; 0 bits: that is not known */
};

/* In the order in which they were added. */
struct source_list {
    struct source *first, *last;
    int count;
};

/* Values and nodes.  It lives in the arena of the context, and so does all that it refers to. */
struct graph {
    struct context *context;
    const char *name;
    bool provisional; /* shapes modulo trailing ones, short argument arrays */
    bool quantized;   /* entries of the quantization file are part of it */
    bool has_unknown; /* a shape of it is not known, or was not */
    struct port *inputs, *outputs;
    int ninput, noutput;
    struct node *first, *last;
    struct node *before;              /* new nodes stand before this one; NULL: at the end */
    uint32_t node_count, value_count; /* ids handed out */
    struct source_list externals, variables, constants;
    struct shape_entry **shapes; /* buckets of tables, like the literals */
    struct literal_entry **literals;
    const char **source_names; /* what tensors of the file were called, those too that the graph
                                  does not have; no other tensor gets such a name */
    int nsource_name;
};

/* An empty graph in the arena of the context; the name is not copied. */
struct graph *graph_new(struct context *context, const char *name);

/* The graph's one copy of a shape: within a graph, equal shapes are the same pointer. */
const struct shape *graph_shape(struct graph *graph, const struct shape *shape);

/* All values: externals, variables, constants, then results of nodes; NULL behind the last. */
struct value *const *graph_values(const struct graph *graph);

/* Set source_names to those of all values, unless they are set.  Whatever takes values out of a
 * graph calls this before. */
void graph_note_names(struct graph *graph);

/* A value that no node computes.  `tensor` and `label` as in struct source. */
struct value *graph_add_source(struct graph *graph, enum value_kind kind, enum dtype dtype,
                               const struct shape *shape, struct span span);

/* Give a variable or constant all items of its data (tensor_is_whole()), in the arena of the
 * context, or all variables of a graph theirs: for those who read `tensor->data`.  False after a
 * report: they take more memory than is left. */
bool source_fill(struct context *context, struct source *source);
bool graph_fill(struct graph *graph);

/* Room for all items of a variable or constant, zeros, in that arena; NULL after a report. */
struct tensor *source_room(struct context *context, const struct source *source, enum dtype dtype);

/* The constant of rank 0 that a literal stands for: an integer, scalar or logical.  Equal
 * literals are one value.  Scalars are rounded to 32 bits. */
struct value *graph_literal(struct graph *graph, const struct datum *literal);

/* Item `index` as a literal; DATUM_NONE for strings.  For scalars that of fewest digits which
 * rounds to the item: 0.1 and not 0.100000001. */
struct datum item_literal(const struct tensor *tensor, int64_t index);

/* Is the value what a literal of the text stands for, and which one?  The second may be called only
 * if the first is true. */
bool value_is_literal(const struct value *value);

/* Are all operands and results of known shapes?  They may depend on custom operations. */
bool node_is_known(const struct node *node);
struct datum value_literal(const struct value *value);

/*
 * A node that reads the operands `in`, with room for `nout` results, whose shapes and types are for
 * the caller to fill in.  It stands before graph->before.  Only op_build() calls this: shapes come
 * from the operator's rule.
 */
struct node *graph_add_node(struct graph *graph, const struct op_desc *op, struct value *const *in,
                            uint32_t nin, uint32_t nout);

/* The place in the text where a value comes from. */
struct span value_span(const struct value *value);

/* Name for messages and dumps: the identifier, the literal itself, or "%7". */
enum { VALUE_TEXT_SIZE = 64 };
const char *value_text(const struct value *value, char text[VALUE_TEXT_SIZE]);
#define VALUE_TEXT(v) value_text((v), (char[VALUE_TEXT_SIZE]){0})

#endif
