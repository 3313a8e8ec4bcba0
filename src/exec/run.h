/*
 * run.h - the reference interpreter
 *
 * The graph is read-only; all that changes is in struct run, so that several runs of one graph are
 * independent.  Threads may have one each if reports do not go to one list, see run_set_diag(), and
 * if steps begin one at a time.  One step is one cycle of NNEF 1.0.5, section 2.1.3: the parameters are
 * fed, every node runs in order, and what `update` was given takes effect when the next step begins.
 *
 * A result gets its memory just before its node runs and loses it after its last use.  Kernels
 * share their outer loops among threads, the team of the run, so that each result item is computed
 * by one of them: the outcome is the same for any number of threads.
 */
#ifndef NNEFC_EXEC_RUN_H
#define NNEFC_EXEC_RUN_H

#include <stdbool.h>

struct diag;
struct graph;
struct tensor;
struct value;
struct run;

/*
 * Prepare to run.  Reports all that is in the way (operations without a kernel, open shapes) and
 * gives NULL then.  Variables that matter must have their tensors (see struct source).
 */
struct run *run_new(const struct graph *graph);
void run_free(struct run *run);

/* 0, which is so from the beginning: team_processors().  The next step starts them. */
void run_set_threads(struct run *run, int threads);

/* Report faults of steps there from now on, not to the list of the graph. */
void run_set_diag(struct run *run, struct diag *diag);

/* Called after each node: `done` of `total` have run. */
typedef void (*run_progress)(void *data, int done, int total);
void run_set_progress(struct run *run, run_progress progress, void *data);

/*
 * Give a graph parameter its tensor, which must have the type and shape of the parameter; the run
 * takes it over and leaves *tensor empty.  It stays until it is given anew.
 */
void run_set_input(struct run *run, int index, struct tensor *tensor);
bool run_has_input(const struct run *run, int index);

/* Have all parameters that matter their tensors?  False after a report of those that do not. */
bool run_check_inputs(const struct run *run);

/* Keep a value of the graph beyond its last use, so that run_tensor() can show it. */
void run_keep(struct run *run, const struct value *value);

/* False if anything was reported: a parameter without input, no memory, a fault at run time.  It
 * ends the step that run_until() or run_begin() began, or makes a whole one. */
bool run_step(struct run *run);

/* The part of a step that looks at what all runs of the graph share: begin one, unless one is going on. */
bool run_begin(struct run *run);

/*
 * Go on with the step, or begin one, until the node of this result has run; what was computed is
 * there until the next call.  A parameter that is fed meanwhile ends the step.  False as above.
 */
bool run_until(struct run *run, const struct value *result);

/* Whether run_until() began a step that is not over. */
bool run_is_going(const struct run *run);

/* An output or kept value of the last step; its data is gone with the next one.  Of a value that
 * is not there (its node need not run, or its last use is over) the data is NULL. */
const struct tensor *run_tensor(const struct run *run, const struct value *value);

/* What a parameter was given; its data is NULL if nothing was. */
const struct tensor *run_input(const struct run *run, int index);

/* What a variable holds: its data, or what the last step has updated it to. */
const struct tensor *run_variable(const struct run *run, const struct value *variable);

#endif
