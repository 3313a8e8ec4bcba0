/*
 * op_build.h - the one way to make a node: decode attributes, infer shapes, append
 *
 * Called by lower/, by passes and by importers; a node without shapes cannot exist.
 */
#ifndef NNEFC_OP_OP_BUILD_H
#define NNEFC_OP_OP_BUILD_H

#include "op/op.h"

struct shared_key;

struct op_argument {
    const struct op_attr *attr;
    struct datum value;
    struct span span;
};

struct op_operand {
    const char *param; /* name of the tensor parameter, for messages */
    struct value *value;
    struct span span; /* of the argument */
};

struct op_call {
    const struct op_desc *op;
    const struct op_operand *in;
    int nin;
    const int *group;               /* see struct node; in the graph's arena */
    const struct op_argument *args; /* attributes as data of the language ... */
    int nargs;
    const void *attrs;         /* ... or as struct of the operator, which is copied; else NULL */
    int nout;                  /* number of results, if no shape rule gives it; else 0 */
    const struct shape *asked; /* NULL, or the shape of an external, in place of its
                                * attribute 'shape'; its extents may be 0 */
    enum dtype generic;
    struct span span;
    const struct call_site *site;
};

/*
 * Append the node that `call` asks for.  An operand of unknown shape makes results of unknown
 * shape.  If the shape rule fails, the fault is reported and the results have unknown shapes, so
 * that nothing derived from them is reported again.  NULL only when a limit is exceeded
 * (reported).
 */
struct node *op_build(struct graph *graph, const struct op_call *call);

/* Where a node comes from that stands in no text. */
struct op_origin {
    struct span span;
    const struct call_site *site;
    enum dtype
        generic; /* what '?' stands for; UNKNOWN: the type of the first operand of type '?' */
};

/*
 * Append the node that computes `spec` of `in`, see OP_SPEC().  Its attributes and operands are
 * copied.  As op_build(), whose messages call the operands by the names of their parameters.
 */
struct node *op_append(struct graph *graph, struct op_spec spec, struct value *const *in, int nin,
                       const struct op_origin *origin);

/* The same for operators that introduce a value (external, constant, variable). */
struct value *op_introduce(struct graph *graph, const struct op_call *call);

/* The call that makes an existing node once more, but for its attributes; in the arena of `graph`.
 */
struct op_call op_call_of(struct graph *graph, const struct node *node);

/* The results that op_build() would give an existing node now. */
struct inferred {
    const struct shape *out;
    int nout;
    int64_t work;
};

/* Let the node have these attributes, which are valid, are not its own, and mean the same: its
 * results stay as they are. */
void op_restate(struct graph *graph, struct node *node, const void *attrs);

/*
 * Ask the shape rule again.  Reports go to the context of `graph`, which may be another than that
 * of the node, and results lie in its arena.
 */
void op_infer(struct graph *graph, const struct node *node, struct inferred *inferred);

/* The type of result `index` of an operator. */
enum dtype op_result_dtype(const struct op_desc *op, int index, enum dtype generic);

/* --- op_attr.c ------------------------------------------------------------------------------ */

/*
 * Decode the arguments of infer->call into a new struct at infer->attrs, by the operator's table,
 * or copy the struct that it brings.  Attributes that are not given stay zero.  Reports every item
 * below its minimum and every unknown name; returns false if there was any.
 */
bool attrs_decode(struct infer *infer);

/* Can this attribute have the value that a struct `attrs` of the operator's family holds? */
bool attr_valid(const struct op_attr *attr, const void *attrs);

/*
 * Of two structs of one operator, bit by bit: 0 is not -0.  False for all custom operations with
 * attributes.  Nodes for which it is true have the same hash.
 */
bool attrs_equal(const struct op_desc *op, const void *a, const void *b);
uint64_t attrs_hash(const struct node *node);

/* Add the operator of a node and its attributes to a key, which is none if they cannot be compared.
 */
void attrs_to_key(const struct node *node, struct shared_key *key);

/* Attributes of `node` as data, in the order of its descriptor: for printing and writing. */
struct datum op_attr_datum(const struct graph *graph, const struct node *node,
                           const struct op_attr *attr);

/* An array or a tuple of integers. */
struct datum datum_of_integers(struct arena *arena, const int64_t *item, int count,
                               enum datum_kind kind);

#endif
