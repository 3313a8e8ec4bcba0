/*
 * run.h - a graph being run: what it is given, and the execution of its plan
 *
 * A run belongs to one thread at a time; several runs of one graph are independent if their reports
 * do not go to one list, see run_set_diag(), and if steps begin one at a time.  One step is one
 * cycle of NNEF 1.0.5, section 2.1.3: the parameters are fed, every node runs in order, and what
 * `update` was given takes effect when the next step begins.
 *
 * A new run has a plan of the reference: a result gets its memory just before its node runs and
 * loses it after its last use.  run_set_plan() lets another plan compute instead.  Any number of
 * threads computes the same.
 */
#ifndef NNEFC_EXEC_RUN_H
#define NNEFC_EXEC_RUN_H

#include "exec/execute.h"

struct graph;
struct run;

/*
 * Prepare to run.  Reports all that is in the way (operations without a kernel, open shapes) and
 * gives NULL then.  Variables that matter must have their tensors (see struct source).
 */
struct run *run_new(const struct graph *graph);
void run_free(struct run *run);

/*
 * Compute by this plan, of the graph or of one that was made of it and has the same parameters,
 * results and names; it outlives the run, or the next call.  NULL: there is a new one to come.
 * False after a report.
 */
bool run_set_plan(struct run *run, const struct plan *plan);

/* What executes it; NULL: there is no plan. */
struct execution *run_execution(const struct run *run);

/* Of the reference: 0, which is so from the beginning, is team_processors().  The next step starts
 * them. */
void run_set_threads(struct run *run, int threads);

/* Report faults of steps there from now on, not to the list of the graph. */
void run_set_diag(struct run *run, struct diag *diag);

/* Called after each step of the plan. */
void run_set_progress(struct run *run, execution_progress progress, void *data);

/*
 * Give a graph parameter its tensor, which must have the type and shape of the parameter; the run
 * takes it over and leaves *tensor empty.  It stays until it is given anew.
 */
void run_set_input(struct run *run, int index, struct tensor *tensor);
bool run_has_input(const struct run *run, int index);

/* What a parameter was given; its data is NULL if nothing was. */
const struct tensor *run_input(const struct run *run, int index);

/* Keep a value of the graph beyond its last use, so that run_tensor() can show it.  Other plans
 * than those of the reference must be made for it. */
void run_keep(struct run *run, const struct value *value);

/* False if anything was reported: a parameter without input, no memory, a fault at run time.  It
 * ends the step that run_until() or run_begin() began, or makes a whole one. */
bool run_step(struct run *run);

/* The part of a step that looks at what all runs of the graph share: begin one, unless one is going
 * on. */
bool run_begin(struct run *run);

/*
 * Of the reference: go on with the step, or begin one, until the node of this result has run; what
 * was computed is there until the next call.  A parameter that is fed meanwhile ends the step.
 * False as above.
 */
bool run_until(struct run *run, const struct value *result);

/* Whether run_until() began a step that is not over. */
bool run_is_going(const struct run *run);

/* An output, or an output or kept value, of the last step; its data is gone with the next one.  Of
 * a value that is not there (its node need not run, or its last use is over) the data is NULL. */
const struct tensor *run_output(const struct run *run, int index);
const struct tensor *run_tensor(const struct run *run, const struct value *value);

/* The value of that name, which is interned; NULL: there is none. */
const struct value *run_find_value(const struct graph *graph, const char *name);

/* What a variable holds: its data, or what the last step has updated it to. */
const struct tensor *run_variable(const struct run *run, const struct value *variable);

#endif
