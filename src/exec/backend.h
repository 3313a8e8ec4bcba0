/*
 * backend.h - who computes what: a backend says which groups it takes and makes steps of them
 *
 * The reference computes what the backend does not take.  The operators that a backend knows stand
 * in its table and nowhere else; adding an operator to nnefc touches none.
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

/* What a backend does about an operator: of the groups that begin with it. */
struct fast_op {
    enum op_id op;

    /* Is it asked, too, when a node is to join a group that a row before this one has begun? */
    bool goes_on;

    /*
     * The layouts that the group can be done in, as a set; 0: not at all.  Asked again with each
     * node that could join it.  What it has found out goes to `match`, which make() finds with the
     * group once it is whole; of so many bytes.
     */
    size_t match_size;
    unsigned (*match)(const struct planner *planner, const struct group *group, void *match);

    /* Fill in the step: kernel, state, buffers; no kernel: there is nothing to do.  False after a
     * report, or silently if it cannot be done after all: then the nodes are done one by one. */
    bool (*make)(struct planner *planner, const struct group *group, struct step *step);
};

struct backend {
    const char *name;
    const struct fast_op
        *ops; /* of several for one operator the first that takes a group does it */
    int nop;
};

extern const struct backend backend_portable;

/* --- for fast_op.make ------------------------------------------------------------------------ */

/* What a value always is; NULL if that is known in a run only.  A single item may stand for all. */
const struct tensor *plan_constant(const struct planner *planner, const struct value *value);

/* The number that all items of a constant are.  False: it is no such constant. */
bool plan_number(const struct planner *planner, const struct value *value, double *number);

/* Is it of type scalar, and is there an item at all? */
bool has_numbers(const struct value *value);

/* The items of such a constant, one for each of the value's; NULL: it is none, or one item stands
 * for all. */
const float *plan_items(const struct planner *planner, const struct value *value);

/* The next operand: the value, as it lies in that layout.  False after a report. */
bool plan_read(struct planner *planner, struct step *step, const struct value *value,
               enum layout layout);

/* The same for a step that takes its items in plain layout with any strides: plan_lie() tells
 * these, of what is read then. */
bool plan_read_view(struct planner *planner, struct step *step, const struct value *value);
struct strided_view plan_view(const struct planner *planner, const struct value *value);

/* The next result, in the layout of the step.  It may lie within another that is not there yet, so
 * a maker does this last, when nothing can fail any more. */
bool plan_write(struct planner *planner, struct step *step, const struct value *value);

/* The same for a step that writes its items with any strides: plan_room() tells which are wanted;
 * it counts them from the operand or result on that frames have, so that `at` is of no matter. */
bool plan_write_view(struct planner *planner, struct step *step, const struct value *value);
struct strided_view plan_target(const struct planner *planner, const struct value *value,
                                enum layout layout);

/* Does operand `part` of a concat lie in its result already? */
bool plan_is_in_place(const struct planner *planner, const struct node *concat, int part,
                      enum layout layout);

/* Memory of the plan, aligned, with anything in it; NULL after a report. */
void *plan_memory(struct planner *planner, size_t bytes);

/* The number of threads that a run will have, and whether results must be as exact as can be. */
int plan_threads(const struct planner *planner);
bool plan_is_exact(const struct planner *planner);

/* Is the group the last one that reads the value, a result that nobody is to see afterwards? */
bool plan_ends(const struct planner *planner, const struct group *group, const struct value *value);

/* The geometry of a conv, deconv, box or pool; of the first two without batch and channel. */
struct window plan_window(const struct node *node);

/* All that the step needs of a constant is in memory of the plan now.  If nobody else needs it, its
 * own memory is given back once the step is made. */
void plan_release(struct planner *planner, const struct value *value);

#endif
