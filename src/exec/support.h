/* support.h - can this graph be run at all? */
#ifndef NNEFC_EXEC_SUPPORT_H
#define NNEFC_EXEC_SUPPORT_H

#include <stdbool.h>

struct graph;
struct live;

/*
 * Report every reason why the live part of the graph cannot run: operations without a kernel,
 * parameters without a shape.  True if there is none.
 */
bool support_check(const struct graph *graph, const struct live *live);

#endif
