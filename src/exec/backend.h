/*
 * backend.h - a backend: which groups of nodes it takes, and how it makes steps of them
 *
 * The reference computes all other nodes.  The operators that a backend knows stand in its table
 * and nowhere else; adding an operator to nnefc touches none.
 */
#ifndef NNEFC_EXEC_BACKEND_H
#define NNEFC_EXEC_BACKEND_H

#include "exec/group.h"
#include "exec/step.h"
#include "exec/view.h"

struct planner;
struct tensor;
struct window;

enum { MATCH_BYTES = 8192 }; /* most that a match takes */

/* One row of a backend: groups that begin with this operator. */
struct fast_op {
    enum op_id op;

    /* May it also extend a group that an earlier row has begun? */
    bool goes_on;

    /* Does it know integers that lie as bytes, or words?  See plan_narrow_size(). */
    bool bytes;

    /*
     * The layouts that the group can be done in, as a set; 0: none.  Called again with each node
     * that could join the group.  It leaves its findings in `match`, match_size bytes, of which
     * make() finds a copy once the group is whole.
     */
    size_t match_size;
    unsigned (*match)(const struct planner *planner, const struct group *group, void *match);

    /* Fill in the step: kernel, state, buffers.  No kernel: there is nothing to do.  False after a
     * report, or without one if it cannot be done after all: then each node gets a step. */
    bool (*make)(struct planner *planner, const struct group *group, struct step *step);
};

struct backend {
    const char *name;
    const struct fast_op *ops; /* the first row that takes a group does it */
    int nop;
    bool words; /* it knows integers that lie as words of 16 bits, too */
};

extern const struct backend backend_portable;

/* --- for fast_op.make ------------------------------------------------------------------------ */

/* The tensor of a constant; NULL if only a run knows the items.  One item may stand for all. */
const struct tensor *plan_constant(const struct planner *planner, const struct value *value);

/* The number that all items of a constant equal.  False: it is no such constant. */
bool plan_number(const struct planner *planner, const struct value *value, double *number);

/* The integer of a constant that has a single item.  False: it is no such constant. */
bool plan_integer(const struct planner *planner, const struct value *value, int64_t *number);

/* Is the value of type scalar, with at least one item? */
bool has_numbers(const struct value *value);

/* All items of a constant of type scalar; NULL: it is none, or one item stands for all. */
const float *plan_items(const struct planner *planner, const struct value *value);

/* Bytes that each integer takes in memory if they are fewer than usual: 1, or 2 if the backend
 * knows words; else 0.  *is_signed: with a sign. */
size_t plan_narrow_size(const struct planner *planner, const struct value *value, bool *is_signed);

/* Do integers lie in memory as bytes?  *is_signed: as such with a sign. */
bool plan_has_bytes(const struct planner *planner, const struct value *value, bool *is_signed);

/* Add an operand to the step: the value, in that layout.  False after a report. */
bool plan_read(struct planner *planner, struct step *step, const struct value *value,
               enum layout layout);

/* The same for a step that reads any strides in plain layout: plan_view() tells where the items
 * lie. */
bool plan_read_view(struct planner *planner, struct step *step, const struct value *value);
struct strided_view plan_view(const struct planner *planner, const struct value *value);

/* Add a result to the step, in its layout.  It may lie within another result that has no buffer
 * yet, so a maker does this last, when nothing can fail any more. */
bool plan_write(struct planner *planner, struct step *step, const struct value *value);

/* The same for a step that writes any strides: plan_target() tells which.  step_out() points to the
 * first item, so that `at` of the view does not matter. */
bool plan_write_view(struct planner *planner, struct step *step, const struct value *value);
struct strided_view plan_target(const struct planner *planner, const struct value *value,
                                enum layout layout);

/* Has a step written operand `part` of a concat into its result already? */
bool plan_is_in_place(const struct planner *planner, const struct node *concat, int part,
                      enum layout layout);

/* Memory of the plan, aligned and not cleared; NULL after a report. */
void *plan_memory(struct planner *planner, size_t bytes);

/* May no algorithm trade accuracy of that result for speed?  So it is with --exact, and if the
 * result is cast to integers: sums of integers that floats hold stay exact. */
bool plan_is_exact(const struct planner *planner, const struct value *result);

/* The geometry of a conv, deconv, box or pool; of the first two without batch and channel. */
struct window plan_window(const struct node *node);

#endif
