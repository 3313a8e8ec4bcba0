/*
 * run.h - a run of a graph: its inputs, and the execution of its plan
 *
 * A run belongs to one thread at a time.  Several runs of one graph are independent if each has its
 * list of reports, see run_set_diag(), and if steps begin one at a time.  One step is one cycle of
 * NNEF 1.0.5, section 2.1.3: the caller sets the parameters, every node runs in order, and updates
 * take effect when the next step begins.
 *
 * A new run has a plan of the reference: a result gets its memory just before its node runs and
 * loses it after its last use.  run_set_plan() lets another plan compute instead.  The results do
 * not depend on the number of threads.
 */
#ifndef NNEFC_EXEC_RUN_H
#define NNEFC_EXEC_RUN_H

#include "exec/execute.h"

struct graph;
struct pool;
struct run;

/*
 * Prepare to run.  NULL after a report of all obstacles (operations without a kernel, open shapes).
 * Variables that live nodes read have their tensors (see struct source).
 */
struct run *run_new(const struct graph *graph);
void run_free(struct run *run);

/*
 * A run whose parameters are those of `interface`, a graph without nodes in which extents may be
 * unknown.  Each step needs a graph with extents that fit the inputs: run_set_graph().
 */
struct run *run_new_open(const struct graph *interface);

/*
 * Compute another graph from now on, by `plan`; NULL: by one of the reference, which the run makes.
 * from[i] is the parameter of the interface that parameter i of the graph takes its input from.
 * All of it outlives the run, or the next call; without a graph, NULL, there are no steps.  Results
 * of the last step are gone, but variables, which all of its graphs have, hold what they held.
 * False after a report.
 */
bool run_set_graph(struct run *run, const struct graph *graph, const int *from,
                   const struct plan *plan);

/*
 * Compute by this plan, of the graph or of a rewritten copy with the same parameters, results and
 * names.  The plan outlives the run, or the next call.  NULL: another call will follow.  False
 * after a report.
 */
bool run_set_plan(struct run *run, const struct plan *plan);

/* Its graph is but a part: results of the interface are computed elsewhere. */
void run_set_partial(struct run *run, bool partial);

/* Results of a graph that become slots: they are given memory of their own, of the pool, in the
 * next steps.  run_take_output() moves one out, or copies it; false after a report. */
void run_own_outputs(struct run *run, struct pool *pool);
bool run_take_output(struct run *run, int index, struct pool *pool, struct tensor *tensor);

/* Memory that grows to what the largest execution takes that lies there, and a team; runs whose
 * steps follow each other may share it, from before they are given their graphs.  NULL: not enough
 * memory. */
struct run_arena *run_arena_new(void);
void run_arena_free(struct run_arena *arena); /* may be NULL */
void run_share_arena(struct run *run, struct run_arena *arena);

/* Of a partial run: let the results be those of states. */
bool run_feed_states(struct run *run, const struct tensor *const *outputs);

/* What it computes, whatever the plan made of it; NULL: an open run has no graph yet. */
const struct graph *graph_of_run(const struct run *run);

/* The execution of its plan; NULL: there is no plan. */
struct execution *run_execution(const struct run *run);

/* The number of threads of the reference; 0, the default, is team_processors().  The next step
 * starts them. */
void run_set_threads(struct run *run, int threads);

/* Random numbers depend on the seed, 0 at first, and on how many steps began since it was set. */
void run_set_seed(struct run *run, uint64_t seed);

/* Draw random numbers that belong to the last step of another run, of which it is a part. */
void run_set_cycle(struct run *run, const struct run *of, int64_t number);

/* Report faults of steps to this list from now on, not to the list of the graph. */
void run_set_diag(struct run *run, struct diag *diag);

/* Called after each step of the plan. */
void run_set_progress(struct run *run, execution_progress progress, void *data);

/*
 * Give a parameter its tensor, which must have the type and shape of the parameter as far as they
 * are known; the run takes it over and leaves *tensor empty.  It stays until it is given anew.
 */
void run_set_input(struct run *run, int index, struct tensor *tensor);
bool run_has_input(const struct run *run, int index);

/*
 * After each step result `output` becomes input `input`, when the next step is prepared, unless
 * that was given another one by then.  Both have the same type, as far as it is known.
 * run_take_states() does it: false after a report, if a shape does not fit.
 */
void run_add_state(struct run *run, int input, int output);

/* As run_set_input(), of one that nobody gives; does it hold that yet? */
void run_begin_state(struct run *run, int input, struct tensor *tensor);
bool run_has_begun(const struct run *run, int input);
bool run_take_states(struct run *run);
bool run_owes_states(const struct run *run); /* it would move some */
bool run_has_state(const struct run *run, int input);

/* Report that a parameter without an input needs one; false. */
bool run_miss_input(const struct run *run, int index);

/* The input of a parameter; its data is NULL if there is none. */
const struct tensor *run_input(const struct run *run, int index);

/* Keep a value of the graph beyond its last use, so that run_tensor() can show it.  Other plans
 * than those of the reference must be made for it. */
void run_keep(struct run *run, const struct value *value);

/* Complete the step that run_until() or run_begin() began, or make a whole one.  False after a
 * report: a parameter without input, no memory, a fault at run time. */
bool run_step(struct run *run);

/* Begin a step, unless one is going on.  This part of a step reads data that all runs of the graph
 * share. */
bool run_begin(struct run *run);

/*
 * Only with the reference: go on with the step, or begin one, until the node of this result has
 * run. The result is there until the next call.  Setting a parameter in between ends the step.
 * False as above.
 */
bool run_until(struct run *run, const struct value *result);

/* Whether run_until() began a step that is not over. */
bool run_is_going(const struct run *run);

/* An output, or an output or kept value, of the last step; its data is gone with the next step. The
 * data is NULL if the value is not there: its node need not run, or its last use is over. */
const struct tensor *run_output(const struct run *run, int index);
const struct tensor *run_tensor(const struct run *run, const struct value *value);

/* The value of that name, which is interned; NULL: there is none. */
const struct value *run_find_value(const struct graph *graph, const char *name);

/* The tensor that a variable holds: its data, or the update of the last step. */
const struct tensor *run_variable(const struct run *run, const struct value *variable);

#endif
