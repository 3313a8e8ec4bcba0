/*
 * export_out.h - an ONNX graph that is being made of an NNEF one
 *
 * Knows which name each value has, makes initializers when they are first used, and shares equal
 * literals.  The exporter owns one; emitters reach it through emit.h.
 */
#ifndef NNEFC_CONVERT_ONNX_EXPORT_OUT_H
#define NNEFC_CONVERT_ONNX_EXPORT_OUT_H

#include "base/map.h"
#include "base/text.h"
#include "convert/proto/onnx_build.h"
#include "ir/graph.h"

#include <stdbool.h>

/* Emitted nodes depend on what `divisor` leaves over of an extent of operand 0 of a node. */
struct onnx_rest {
    const struct onnx_rest *next;
    const struct node *node;
    int axis;
    int64_t divisor;
};

struct op_attr;

struct onnx_options;

/* An export, from onnx_out_init() to onnx_out_clear(). */
struct onnx_out {
    struct context *context;
    const struct graph *from;
    struct onnx_graph *to;
    int opset;
    bool open;                     /* the model is for other extents, too */
    const struct interval *bounds; /* of integers, by id of the value */
    const char **name;             /* likewise; NULL: none yet */
    bool *made;        /* by id of a variable or constant: it is an initializer, or an input */
    bool *fed;         /* by id of a variable: it is an input */
    struct shape **as; /* by id of a variable or constant: the shape, another one, that the
                                initializer of its name has; NULL: none */
    struct onnx_tensor **typed; /* by id of a variable: the initializer of its name that
                                onnx_out_typed() made; NULL: none */
    const struct value **first; /* by id of a variable: the one that stands for all of its label */
    struct map taken;           /* names, interned */
    struct map literals;        /* initializers, by their type, extents and bytes, interned */
    const struct node *node;    /* of NNEF, that is being emitted; NULL: none */
    struct onnx_node *last;     /* added last for that; NULL: none yet */
    struct map origin;          /* what was being emitted, by node added; absent: nothing */
    const struct onnx_rest *rests;
    bool allow_custom;   /* what is refused becomes a node of domain ONNX_CUSTOM instead */
    const char *refused; /* why the node that is being emitted is refused; NULL: it is not */
    const char *help;    /* what the user can do about that; may be NULL */
    int customs;         /* nodes of that domain */
};

/* The domain of operations that ONNX lacks, and its version. */
#define ONNX_CUSTOM "nnef"
enum { ONNX_CUSTOM_VERSION = 1 };

/* Sets aside the names of all values that have one.  Ends with onnx_out_clear(). */
void onnx_out_init(struct onnx_out *out, const struct graph *from, struct onnx_graph *to,
                   const struct onnx_options *options);
void onnx_out_clear(struct onnx_out *out);

/* The only copy of a text, by which maps find it; onnx_out_text() makes the text by a format. */
const char *onnx_out_key(const struct onnx_out *out, const char *text);
const char *onnx_out_text(const struct onnx_out *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A name that nothing has yet, made from `wish`. */
const char *onnx_out_unique(struct onnx_out *out, const char *wish);

/* The name of a value; makes an initializer of a constant or variable that has none yet. */
const char *onnx_out_value(struct onnx_out *out, const struct value *value);

/* The one that stands for all variables of this label, which are one initializer: the first. */
const struct value *onnx_out_first(const struct onnx_out *out, const struct value *variable);

/*
 * Makes a variable, the first of its label, an input of the model; returns its name.
 * onnx_out_default() adds an initializer of that name: what the variable holds if it is not fed.
 */
const char *onnx_out_input(struct onnx_out *out, const struct value *variable);
void onnx_out_default(struct onnx_out *out, const struct value *variable);

/*
 * A variable or constant with other extents of the same volume; NULL where a copy would cost more
 * than a node that reshapes it.
 */
const char *onnx_out_reshaped(struct onnx_out *out, const struct value *value,
                              const struct shape *shape);

/* An initializer shared by all that ask for the same; `data` is copied. */
const char *onnx_out_literal(struct onnx_out *out, enum dtype dtype, const struct shape *shape,
                             const void *data);
const char *onnx_out_vector(struct onnx_out *out, const int64_t *items, int count); /* of rank 1 */

/*
 * An initializer of another type, whose data the caller sets.  It stands for the variable, or is
 * named after the result that is being computed and the `part` it has in that.
 */
struct onnx_typed {
    const struct value *variable; /* NULL: there is a `part` instead */
    const char *part;
    enum onnx_data_type type;
    const struct shape *shape;
};
struct onnx_tensor *onnx_out_typed(struct onnx_out *out, const struct onnx_typed *typed);

/* The name of the one that a variable has already; NULL: none of that type. */
const char *onnx_out_found(const struct onnx_out *out, const struct value *variable,
                           enum onnx_data_type type);

/* An initializer of any type with these little-endian bytes, which are copied; shared by all that
 * ask for the same.  `wish` is its name if nothing else has it. */
const char *onnx_out_stored(struct onnx_out *out, const char *wish, enum onnx_data_type type,
                            const struct shape *shape, const void *bytes);

/* A node without operands and outputs that has the place of out->node in the text. */
struct onnx_node *onnx_out_node(struct onnx_out *out, const char *type);

/* "graph.nnef:12", and the fragments on the way: "graph.nnef:5 in 'block' from graph.nnef:12". */
const char *onnx_out_place(struct onnx_out *out, struct span at, const struct call_site *site);

/* One more output of the node added last, a new tensor; returns its name. */
const char *onnx_out_tensor(struct onnx_out *out);

/* Lets x be result `result` of out->node: an output of the node added last gets that name, anything
 * else is copied.  Returns the name. */
const char *onnx_out_result(struct onnx_out *out, int result, const char *x);

/* Attribute `name` of the node added last, with the value that `attr` has in out->node; pairs and
 * nested arrays come item after item. */
void onnx_out_attr(const struct onnx_out *out, const char *name, const struct op_attr *attr);

/* Everything that computes `node`, whose shapes are known or not.  False after a report. */
bool onnx_out_emit(struct onnx_out *out, const struct node *node, bool shapes_known);

/*
 * A node of domain ONNX_CUSTOM that has the name of the operation, its operands in order, and its
 * attributes by name.  If some operands are an array, 'nnef.operands' is how many each parameter
 * has: -1 for a tensor, 0 for an attribute.
 */
void onnx_out_custom(struct onnx_out *out, const struct node *node);

/* Removes initializers and reshaped tensors that no node reads. */
void onnx_out_prune(struct onnx_out *out);

/* The domain of the functions, and its version; the oldest format that has functions. */
#define ONNX_FRAGMENTS "nnef.fragments"
enum { ONNX_FRAGMENTS_VERSION = 1, ONNX_FUNCTIONS_IR = 8 };

/*
 * Puts the nodes that each expansion of a fragment of the document made into a function that is
 * called in their place, fragments within fragments too.  Expansions of the same nodes share a
 * function, which has the fragment's name; others add a number.  Nodes that were made on behalf of
 * several expansions, or apart from the rest of their own, stay where they are.  False after a
 * report.
 */
bool onnx_make_functions(struct onnx_out *out, struct onnx_model *model);

/* TensorProto.DataType of what holds items of `dtype`. */
enum onnx_data_type onnx_type_of(enum dtype dtype);

/* The same of a value, which may be integers in few bits (export_quantized.c). */
enum onnx_data_type onnx_out_made_type(const struct onnx_out *out, const struct value *value);

/* The type of an input or output: that of the model that was read, if this opset has it, else the
 * one that nodes compute with.  Is a cast needed between the two? */
enum onnx_data_type onnx_out_port_type(const struct onnx_out *out, const struct port *port);
bool onnx_out_casts(const struct onnx_out *out, const struct port *port);

#endif
