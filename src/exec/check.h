/*
 * check.h - what is known of a run before it begins: which nodes must run, and whether they can
 *
 * All checks pass before anything of a network is computed, so that a fault of the last node costs
 * no time and a limit is never exceeded.
 */
#ifndef NNEFC_EXEC_CHECK_H
#define NNEFC_EXEC_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct graph;

/* Liveness: which nodes must run, and how often their operands are needed. */
struct live {
    bool *node;      /* by node id: must it run? */
    uint32_t *holds; /* by value id: how many operands of live nodes read it, plus one if it
                        outlives the step (outputs, and results that update a variable) */
    uint32_t *left;  /* by value id: the holds that remain while a run is simulated */
    int nodes;       /* the number of live nodes */
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
 * Does the memory of a step of the reference fit into `budget` bytes at any time?  Inputs and the
 * data of variables do not count.  False after a report that names the operation where it does not.
 */
bool peak_check(const struct graph *graph, const struct live *live, int64_t budget);

/* The most bytes that such a step has at once; INT64_MAX if they overflow.  All shapes are known.
 */
int64_t peak_bytes(const struct graph *graph, const struct live *live);

/*
 * Do all live operations together stay within limits.total_work?  node_work() counts the items of
 * one.  All shapes are known.  False after a report that names the operation where it is too much.
 */
bool work_check(const struct graph *graph, const struct live *live);

#endif
