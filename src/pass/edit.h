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

struct pass;

struct pass_desc {
    const char *purpose;
    /* Look at a node, and change the graph if there is anything to be changed. */
    void (*visit)(struct pass *pass, struct node *node);
    void (*begin)(struct pass *pass); /* before the first node; may be NULL, as may visit */
    void (*end)(struct pass *pass);   /* behind the last; may be NULL */
};

/* A pass while it runs. */
struct pass {
    struct graph *graph;
    const struct pass_options *options;
    struct node *at; /* that is visited; before it stands what is made */
    void *data;      /* of the pass, for one sweep over the graph */
    struct passes *all;
    int index;
    int changes; /* in this sweep */
    bool failed; /* something was reported: visit no more */
};

/* Memory as long as the graph, zeroed. */
void *pass_room(struct pass *pass, int64_t count, size_t size);

/* --- questions ---------------------------------------------------------------------------- */

/* Is the value an output, or must it stay for another reason? */
bool value_stays(const struct pass *pass, const struct value *value);

/* Must it stay for another reason?  Nothing may stand for it then, see pass_replace(). */
bool value_is_pinned(const struct pass *pass, const struct value *value);

/* Is it read by one operand only, and by nothing outside? */
bool value_is_inner(const struct pass *pass, const struct value *value);

/*
 * Items that are the same in every run: of constants, and of variables that are never updated and
 * whose files hold them as they are.  NULL for all others.  Of a single item the tensor may have
 * rank 0, whatever the shape of the value.
 */
const struct tensor *value_items(const struct value *value);

/* Item `index` of a value that has them, in row-major order of the value's shape. */
double value_item(const struct value *value, int64_t index);

/* Are all items this number? */
bool value_is_all(const struct value *value, double number);

/* Does anything read its results, or must it run for another reason? */
bool node_is_needed(const struct pass *pass, const struct node *node);

static inline bool is_op(const struct node *node, enum op_id op)
{
    return node->op->id == op;
}

/* The node that makes the value with that operation, else NULL. */
static inline struct node *made_by(const struct value *value, enum op_id op)
{
    return value->kind == VALUE_RESULT && is_op(value->producer, op) ? value->producer : NULL;
}

/* --- new values --------------------------------------------------------------------------- */

enum { RECIPE_OPERANDS = 8 };

struct recipe {
    struct op_spec op;                 /* op_plain(OP_relu) or OP_SPEC(softmax, .axes = ...) */
    struct value *in[RECIPE_OPERANDS]; /* up to the first NULL, unless `many` are given */
    struct value *const *many;
    int count;          /* of `many` */
    enum dtype generic; /* what '?' stands for; UNKNOWN: the type of the operand that tells */
};

/* The first result of a new node; NULL after a report. */
struct value *pass_make(struct pass *pass, const struct recipe *recipe);

/* The same operation with other operands or attributes, `attrs` being a struct of the operator;
 * NULL for those of the node. */
struct value *pass_remake(struct pass *pass, const struct node *node, struct value *const *in,
                          const void *attrs);

struct value *pass_literal(struct pass *pass, double number); /* a scalar of rank 0 */

/* Memory for items, all of which are to be filled in; false after a report. */
bool pass_tensor(struct pass *pass, struct tensor *tensor, enum dtype dtype,
                 const struct shape *shape);

/*
 * Takes over the tensor.  A few items, or one again and again, become a constant; more of them, or
 * what takes the place of the variable `like`, a variable, whose label is that of `like`, which may
 * be NULL, with something added.
 */
struct value *pass_fixed(struct pass *pass, struct tensor *tensor, const struct value *like);

/* --- changes ------------------------------------------------------------------------------ */

/* May `to` stand for `from` wherever that is read?  It has the same type and shape. */
bool value_may_replace(const struct value *to, const struct value *from);

/*
 * Let `to`, which is made before all uses of `from`, stand for it.  It is called as that was if it
 * has no name.  Nodes that nothing needs any more are removed: the one that makes `from`, if any,
 * and those that it needed.  Counts as a change.  False if nothing was changed: `from` must stay.
 */
bool pass_replace(struct pass *pass, struct value *from, struct value *to);

/* Let one operand read another value; counts as a change. */
void pass_set_operand(struct pass *pass, struct use *use, struct value *to);

/* Remove nodes that nothing needs: this one, and then those that it needed.  The number of them. */
int pass_sweep(struct pass *pass, struct node *node);

/* Remove the externals, variables or constants that nothing needs; each counts as a change. */
void pass_drop_unused(struct pass *pass, enum value_kind kind);

/* Say why `node` was left as it is: "its filter is computed".  Lower case, no final stop. */
void pass_left(struct pass *pass, const struct node *node, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* A reason that lasts as long as the graph. */
const char *pass_because(struct pass *pass, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Remark that `left` was not fused `with` another one, which "its" in the reason means. */
void pass_unfused(struct pass *pass, const struct node *left, const struct node *with,
                  const char *why);

#endif
