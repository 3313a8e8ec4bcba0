/* compute.h - a single node, computed by its kernel, which threads may share */
#ifndef NNEFC_OP_COMPUTE_H
#define NNEFC_OP_COMPUTE_H

#include "op/op.h"

/*
 * Items that the kernel reads and writes, or what it does to them if that takes more (see struct
 * node).  Unknown extents count as 1; INT64_MAX stands for all that is more.
 */
int64_t node_work(const struct node *node);

/*
 * Run the kernel, which the operator must have, on operands that have all items, or stand for them
 * (tensor_is_whole()); the caller owns the results, of which there is room for all.  False after a
 * report to `diag`, with nothing to be owned.
 */
bool node_compute(const struct node *node, const struct tensor *const *in, struct tensor *out,
                  struct diag *diag);

/* --- loops of kernels that threads share --------- ------------------------------------------ */

/*
 * Each call makes results of its own, in an order of its own: who makes it, and when, does not
 * matter, and any number of threads gives the same bytes.
 */

/* A row, lane, block or item, by its number. */
typedef void share_each(const void *data, int64_t number);

/*
 * Call `each` for 0 <= number < count: all that the node does (see node_work()).  Threads take part
 * if there is enough to do; `each` must not share in turn.
 */
void eval_share(const struct eval *eval, int64_t count, share_each *each, const void *data);

/* The same for a part of what the node does: each call reads and writes about `work` items. */
void eval_share_part(const struct eval *eval, int64_t count, int64_t work, share_each *each,
                     const void *data);

#endif
