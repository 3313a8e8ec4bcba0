/*
 * execute.h - running a plan
 *
 * An execution has its own memory for tensors, its own threads and its own variables, so that
 * several threads may each run an execution of one plan.  A step of a backend's plan allocates
 * nothing.
 */
#ifndef NNEFC_EXEC_EXECUTE_H
#define NNEFC_EXEC_EXECUTE_H

#include "base/team.h"
#include "tensor/tensor.h"

#include <stddef.h>

struct diag;
struct execution;
struct plan;
struct pool;
struct team;
struct value;

/*
 * Faults of kernels are reported to `diag`.  Tensors lie in `memory`, execution_size() bytes at a
 * multiple of POOL_ALIGNMENT which are the caller's; NULL: the execution has its own.  NULL if
 * there is not enough memory.
 */
struct execution *execution_new(const struct plan *plan, struct diag *diag, void *memory);
size_t execution_size(const struct plan *plan);
void execution_free(struct execution *execution);

/*
 * Give a graph parameter its tensor, of the parameter's type and shape.  The execution only reads
 * it.  It must stay until the step is over; the caller may then refill or replace it.
 */
void execution_set_input(struct execution *execution, int index, const struct tensor *tensor);

/* Called after each step of the plan: `done` of `total`. */
typedef void (*execution_progress)(void *data, int done, int total);
void execution_set_progress(struct execution *execution, execution_progress progress, void *data);

/* Before the first step: take the team that is there, or leave one there, which the caller frees.
 * Executions whose steps follow each other may share one. */
void execution_share_team(struct execution *execution, struct team **team);

/* The team of the next step; 0: as many threads as there are processors. */
void execution_set_threads(struct execution *execution, int threads);

/* Random numbers of the next step depend on both (struct eval), which are 0 before. */
void execution_set_seed(struct execution *execution, uint64_t seed, uint32_t cycle);

/* Report faults of further steps to this list. */
void execution_set_diag(struct execution *execution, struct diag *diag);

/* Begin a step, unless one is going on: updates of the last step take effect.  Stop: give up the
 * step that is going on. */
void execution_begin(struct execution *execution);
void execution_stop(struct execution *execution);
bool execution_is_going(const struct execution *execution);

/*
 * Only for plans of the reference.  Go on with the step, or begin one, until the node of this
 * result has run.  The result is there until the next call.  False after a report.
 */
bool execution_until(struct execution *execution, const struct value *goal);

/* Is the value an output, or retained? */
bool execution_shows(const struct execution *execution, const struct value *value);

/* Only for plans of the reference: keep a value beyond its last use. */
void execution_retain(struct execution *execution, const struct value *value);

/* Compute everything once (NNEF 1.0.5, section 2.1.3), or the rest of the step that was begun.  All
 * inputs that live nodes read are set.  False after a report. */
bool execution_step(struct execution *execution);

/* An output or retained value, in row-major order; its data is gone with the next step. */
const struct tensor *execution_result(const struct execution *execution, const struct value *value);

/* The tensor that a variable holds: its data, or the update of the last step. */
const struct plan *execution_plan(const struct execution *execution);

const struct tensor *execution_variable(const struct execution *execution,
                                        const struct value *variable);

/*
 * Results that become inputs: let the next step write the result to memory of its own, of the pool,
 * and move it out of the execution once the step is over.  False, without a report: the result has
 * no memory that can be its own, so that it must be copied, or there is not enough.
 */
bool execution_own_result(struct execution *execution, const struct value *value,
                          struct pool *pool);
bool execution_take_result(struct execution *execution, const struct value *value,
                           struct tensor *tensor);

/* What a variable holds that steps have changed, by its label. */
struct held {
    const char *label; /* interned */
    struct tensor tensor;
};

/*
 * Take copies of all of them before the execution goes, and let that of another graph of the same
 * variables hold them.  execution_hold() leaves nothing to be freed.  False: there is not enough
 * memory.
 */
bool execution_has_state(const struct execution *execution);
bool execution_held(const struct execution *execution, struct held **held, int *count);
bool execution_hold(struct execution *execution, struct held *held, int count);

/* --- where the time goes ---------------------------------------------------------------------- */

/* Measure the time of every step from now on. */
void execution_measure(struct execution *execution);

struct step_time {
    const struct step *step;
    const struct value *result; /* the first one; NULL: it has none */
    int64_t runs;
    double least, total;           /* seconds */
    struct team_span last;         /* the last run, by clock_seconds() */
    const struct team_span *spans; /* and the part of each member in it */
    int members;
};

int execution_step_count(const struct execution *execution);
struct step_time execution_step_time(const struct execution *execution, int index);

#endif
