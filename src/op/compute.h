/* compute.h - a single node, computed by its kernel */
#ifndef NNEFC_OP_COMPUTE_H
#define NNEFC_OP_COMPUTE_H

#include "op/op.h"

/*
 * Items that the kernel reads and writes, or what it does to them if that takes more (see struct
 * node).  Unknown extents count as 1; INT64_MAX stands for all that is more.
 */
int64_t node_work(const struct node *node);

/*
 * Run the kernel, which the operator must have, on operands of the shapes that theirs have; the
 * caller owns the results, of which there is room for all.  False after a report to `diag`, with
 * nothing to be owned.
 */
bool node_compute(const struct node *node, const struct tensor *const *in, struct tensor *out,
                  struct diag *diag);

#endif
