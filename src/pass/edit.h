/*
 * edit.h - what passes are written with: questions to a graph, and changes that keep it sound
 *
 * A pass visits the nodes in their order.  It may add nodes before the one it visits, and may
 * remove that one and those before it, but none behind it.
 */
#ifndef NNEFC_PASS_EDIT_H
#define NNEFC_PASS_EDIT_H

#include "ir/datum.h"
#include "ir/graph.h"
#include "op/op.h"
#include "pass/pass.h"
#include "tensor/shared.h"

struct pass;

enum { PASS_OPS = 6 };

/* A pass as pass_list.def registers it: at least one of the functions is not NULL. */
struct pass_desc {
    const char *purpose;      /* a sentence without a final stop, for --list-passes */
    enum op_id ops[PASS_OPS]; /* operators of the nodes that are visited; none: all */
    /* Without a node of at least one of these operators the pass changes nothing and remarks
     * nothing, so that it is left out; none: it never is. */
    enum op_id needs[PASS_OPS];
    /*
     * Looks at a node and changes the graph if it finds what the pass is for.  Returns the reason
     * if the pass nearly changed the node, for a remark: see pass_left().  NULL: there is nothing
     * to be said.  A node with a reason is still in the graph.
     */
    const char *(*visit)(struct pass *pass, struct node *node);
    void (*begin)(struct pass *pass); /* before the first node */
    void (*end)(struct pass *pass);   /* behind the last node, unless something was reported */
};

/* A pass while it runs: one sweep over the graph. */
struct pass {
    struct graph *graph;
    const struct pass_options *options;
    struct node *at;    /* the visited node; new nodes stand before it; NULL: at the end */
    void *data;         /* of the pass, for this sweep */
    struct passes *all; /* what all passes of the run share */
    int index;          /* of the pass in its list */
    int changes;        /* in this sweep */
    bool failed;        /* something was reported: visit no more */
};

/* node_is_known() of a node of the graph; most graphs have no other nodes. */
static inline bool pass_is_known(const struct pass *pass, const struct node *node)
{
    return !pass->graph->has_unknown || node_is_known(node);
}

/* Zeroed memory for `count` items, which lasts as long as the graph. */
void *pass_room(struct pass *pass, int64_t count, size_t size);

/* The same, which lasts until the visit of the node is over; in begin() and end(), the sweep. */
void *pass_scratch(struct pass *pass, int64_t count, size_t size);

/* arena_list() in the arena of the graph. */
void *pass_list(struct pass *pass, void *items, int64_t count, size_t size);

/* --- questions ---------------------------------------------------------------------------- */

/* Is the value an output, or pinned? */
bool value_stays(const struct pass *pass, const struct value *value);

/* Did the caller of passes_run() ask for the value to stay?  No other value may stand for it then,
 * see pass_replace(). */
bool value_is_pinned(const struct pass *pass, const struct value *value);

/* Does one operand read it, and nothing else, in the graph or outside? */
bool value_is_inner(const struct pass *pass, const struct value *value);

/* value_items() of a value that no node computes. */
const struct tensor *source_items(const struct value *value);

/*
 * Items that are the same in every run: of constants, and of variables that no update changes and
 * whose files hold them as they are.  NULL for other values, strings, and shapes that are not
 * known. If all items are the same, the tensor may have rank 0, whatever the shape of the value: a
 * single item stands for all.
 */
static inline const struct tensor *value_items(const struct value *value)
{
    return value->kind == VALUE_RESULT ? NULL : source_items(value);
}

/* Item `index` of a value for which value_items() is not NULL, in row-major order of the value's
 * shape. */
double value_item(const struct value *value, int64_t index);

/* Are the items known, and is each of them this number?  0 equals -0; NaN equals nothing. */
bool value_is_all(const struct value *value, double number);

/* Does anything read its results, in the graph or outside, or does it have an effect? */
bool node_is_needed(const struct pass *pass, const struct node *node);

/* Does the pass have to leave the node as it is, because one of its results is pinned? */
bool node_is_pinned(const struct pass *pass, const struct node *node);

static inline bool is_op(const struct node *node, enum op_id op)
{
    return node->op->id == op;
}

/* The node that makes the value, if it has that operator; else NULL. */
static inline struct node *made_by(const struct value *value, enum op_id op)
{
    return value->kind == VALUE_RESULT && is_op(value->producer, op) ? value->producer : NULL;
}

/* --- new values --------------------------------------------------------------------------- */

enum { RECIPE_OPERANDS = 8 };

/* A node to be made: its operator, attributes and operands. */
struct recipe {
    struct op_spec op;                 /* op_plain(OP_relu) or OP_SPEC(softmax, .axes = ...) */
    struct value *in[RECIPE_OPERANDS]; /* up to the first NULL, unless `many` are given */
    struct value *const *many;
    int count;          /* of `many` */
    enum dtype generic; /* what '?' stands for; UNKNOWN: the type of the operand that tells */
};

/* The first result of a new node, which takes over place and call stack of the visited node.  NULL
 * after a report, which ends the pass: pass->failed. */
struct value *pass_make(struct pass *pass, const struct recipe *recipe);

/* Likewise the operation of `node` with other operands or attributes.  `attrs` is a struct of the
 * operator.  NULL stands for the operands, or the attributes, of the node. */
struct value *pass_remake(struct pass *pass, const struct node *node, struct value *const *in,
                          const void *attrs);

struct value *pass_literal(struct pass *pass, double number); /* a scalar of rank 0 */

/* Memory for items, all of which the caller fills in.  The caller owns it: tensor_clear() or
 * pass_fixed().  False after a report: there is not enough memory. */
bool pass_tensor(struct pass *pass, struct tensor *tensor, enum dtype dtype,
                 const struct shape *shape);

/*
 * The value of a tensor that has been made before, for another graph of the model: `key` says of
 * what, and `shape` is that of the value.  NULL: it has to be made.
 */
struct value *pass_found(struct pass *pass, const struct shared_key *key, const struct shape *shape,
                         const struct value *like);

/*
 * A value with these items; takes over the tensor, and shares it under the key, which may be NULL.
 * A few items, or one that repeats, become a
 * constant.  More items become a variable, and so does what takes the place of the variable
 * `like`.  Its label is that of `like` with something added; `like` may be NULL.
 */
struct value *pass_fixed(struct pass *pass, const struct shared_key *key, struct tensor *tensor,
                         const struct value *like);

/* A key for what is made by that recipe; shared_key_free() ends it.  pass_key_value() adds a value
 * whose items are known, with its shape. */
struct shared_key pass_key(const struct pass *pass, const char *recipe);
void pass_key_value(struct shared_key *key, const struct value *value);

/* --- changes ------------------------------------------------------------------------------ */

/* May `to` stand for `from` wherever that is read?  It has the same type and shape. */
bool value_may_replace(const struct value *to, const struct value *from);

/*
 * Let `to`, which is made before all uses of `from`, stand for it.  `to` takes over the name if it
 * has none.  Nodes that nothing needs any more are removed: the one that makes `from`, if any, and
 * those that it needed.  Counts as a change.  False if nothing was changed, because `from` is
 * pinned or `to` is NULL, after a report.
 */
bool pass_replace(struct pass *pass, struct value *from, struct value *to);

/* Likewise for each result of `node` that is needed: `to` has as many results.  The node goes with
 * its last result. */
void pass_replace_node(struct pass *pass, struct node *node, struct node *to);

/* Let one operand read another value; counts as a change. */
void pass_set_operand(struct pass *pass, struct use *use, struct value *to);

/* Remove nodes that nothing needs: this one, and then those that it needed.  Returns their number,
 * which is 0 if the node is needed. */
int pass_sweep(struct pass *pass, struct node *node);

/* Remove the externals, variables or constants that nothing needs; each counts as a change. */
void pass_drop_unused(struct pass *pass, enum value_kind kind);

/* Remark that the pass left `node` as it is, and why: "its filter is computed".  Lower case, no
 * final stop.  The reason lasts as long as the graph. */
void pass_left(struct pass *pass, const struct node *node, const char *why);

/* A reason that lasts as long as the graph; "" if nobody asked for remarks. */
const char *pass_because(struct pass *pass, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The reason why a node was not fused with another one, which "its" in `why` means. */
const char *pass_unfused(struct pass *pass, const struct node *with, const char *why);

#endif
