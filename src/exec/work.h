/* work.h - how much a step computes, told before it begins */
#ifndef NNEFC_EXEC_WORK_H
#define NNEFC_EXEC_WORK_H

#include <stdbool.h>

struct graph;
struct live;

/*
 * Do all live operations together read as few items as the limits say?  An operation reads its
 * operands and writes its results, or what it does to them takes more (see struct node).  All
 * shapes are known.  False after a report that names the operation at which it is too much.
 */
bool work_check(const struct graph *graph, const struct live *live);

#endif
