/*
 * share.h - loops of kernels that threads share
 *
 * Each call makes results of its own, in an order of its own: who makes it, and when, does not
 * matter, and any number of threads gives the same bytes.
 */
#ifndef NNEFC_OP_SHARE_H
#define NNEFC_OP_SHARE_H

#include "op/op.h"

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
