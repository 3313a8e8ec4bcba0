/*
 * execute.h - running a plan
 *
 * An execution has its own memory for tensors, its own threads and its own variables, so that
 * several of one plan may go on at a time, each in a thread of its own.  A step makes no
 * allocation.
 */
#ifndef NNEFC_EXEC_EXECUTE_H
#define NNEFC_EXEC_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct execution;
struct plan;
struct tensor;
struct value;

/* Faults of kernels are reported to `diag`.  NULL if there is not enough memory. */
struct execution *execution_new(const struct plan *plan, struct diag *diag);
void execution_free(struct execution *execution);

/*
 * Give a graph parameter its tensor, of the parameter's type and shape, which is refilled or
 * replaced by the next call and not written to.  It must stay until the step is over.
 */
void execution_set_input(struct execution *execution, int index, const struct tensor *tensor);

/* Called after each step of the plan: `done` of `total`. */
typedef void (*execution_progress)(void *data, int done, int total);
void execution_set_progress(struct execution *execution, execution_progress progress, void *data);

/* The team of the next step; 0: as many threads as there are processors. */
void execution_set_threads(struct execution *execution, int threads);

/* Report faults of steps there from now on. */
void execution_set_diag(struct execution *execution, struct diag *diag);

/* Begin a step, unless one is going on: what updates were given takes effect.  Give up one that
 * is. */
void execution_begin(struct execution *execution);
void execution_stop(struct execution *execution);
bool execution_is_going(const struct execution *execution);

/*
 * Only for plans of the reference.  Go on with the step, or begin one, until the node of this
 * result has run; what was computed is there until the next call.  False after a report.
 */
bool execution_until(struct execution *execution, const struct value *goal);

/* Is the value an output, or retained? */
bool execution_shows(const struct execution *execution, const struct value *value);

/* Only for plans of the reference: keep a value beyond its last use. */
void execution_retain(struct execution *execution, const struct value *value);

/* Compute everything once (NNEF 1.0.5, section 2.1.3), or what is left of the step that was begun.
 * All inputs that matter must have been given.  False after a report. */
bool execution_step(struct execution *execution);

/* An output or kept value, in row-major order; its data is gone with the next step. */
const struct tensor *execution_result(const struct execution *execution, const struct value *value);

/* What a variable holds: its data, or what the last step has updated it to. */
const struct tensor *execution_variable(const struct execution *execution,
                                        const struct value *variable);

/* --- where the time goes ---------------------------------------------------------------------- */

/* Take the time of every step from now on. */
void execution_measure(struct execution *execution);

struct step_time {
    const struct step *step;
    const struct value *result; /* the first one; NULL: it has none */
    int64_t runs;
    double least, total; /* seconds */
};

int execution_step_count(const struct execution *execution);
struct step_time execution_step_time(const struct execution *execution, int index);

#endif
