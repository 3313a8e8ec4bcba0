/*
 * check.h - what is known of a run before it begins: which nodes must run, and what is in the way
 *
 * Nothing of a network is computed before all of these have passed, so that a fault of the last
 * node costs no time and a limit is never exceeded.
 */
#ifndef NNEFC_EXEC_CHECK_H
#define NNEFC_EXEC_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct graph;

/*
 * By node id: must it run?  By value id: how many operands of such nodes read it, plus one if it
 * outlives the step (outputs, and results that update a variable).
 */
struct live {
    bool *node;
    uint32_t *holds;
    uint32_t *left; /* by value id: of the holds, those that remain while a run is simulated */
    int nodes;      /* that must run */
};

/* False if there is not enough memory. */
bool live_find(const struct graph *graph, struct live *live);
void live_clear(struct live *live);

/*
 * Report every reason why the live part of the graph cannot run: operations without a kernel,
 * parameters without a shape.  True if there is none.
 */
bool support_check(const struct graph *graph, const struct live *live);

/*
 * Will all that a step of the reference has in memory at once, besides inputs and the data of
 * variables, fit into `budget` bytes?  False after a report that names the operation at which it
 * does not.
 */
bool peak_check(const struct graph *graph, const struct live *live, int64_t budget);

/* The most that it has; INT64_MAX if that does not fit.  All shapes are known. */
int64_t peak_bytes(const struct graph *graph, const struct live *live);

/*
 * Do all live operations together read as few items as the limits say?  An operation reads its
 * operands and writes its results, or what it does to them takes more (see struct node).  All
 * shapes are known.  False after a report that names the operation at which it is too much.
 */
bool work_check(const struct graph *graph, const struct live *live);

#endif
