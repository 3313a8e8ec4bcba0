/*
 * items.h - the items of an operand in the order of the result that it is broadcast to
 *
 * A result of `rank` dimensions lies in some layout; so do its operands, which count as of that
 * rank.  Dimensions along which an operand is read in one go are merged.
 */
#ifndef NNEFC_EXEC_ITEMS_H
#define NNEFC_EXEC_ITEMS_H

#include "exec/view.h"

#include <stddef.h>

/* A walk over extents, slowest first, with a stride for each, in items. */
struct item_walk {
    int rank; /* at least 1 */
    int64_t extent[MAX_RANK], stride[MAX_RANK];
};

/* How an operand is read; both shapes as NNEF has them. */
struct item_walk items_broadcast(const struct shape *operand, const struct shape *result,
                                 enum layout layout);

/* Merge dimensions; strides may be any. */
void items_merge(struct item_walk *items);

/* Does it read one item after the other, or the same one again and again? */
bool items_are_dense(const struct item_walk *items);
bool items_are_one(const struct item_walk *items);

/* Put `count` of them, the first of which is number `begin` of the walk, one after the other;
 * `size` is that of an item, 1, 4 or 8 bytes. */
void items_copy(const struct item_walk *items, size_t size, void *to, const void *from,
                const int64_t range[2]);

#endif
