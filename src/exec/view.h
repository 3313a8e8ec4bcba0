/*
 * view.h - where the items of a tensor lie: in some layout, or as a strided view of a buffer
 *
 * NNEF has (batch, channel, x1, x2, ..) in row-major order, which is LAYOUT_PLAIN; with
 * LAYOUT_CHANNELS_LAST the same items lie as (batch, x1, x2, .., channel).  A view tells the place
 * of each item in any other case: a transposition, a slice or a part of a concat needs no copy if
 * the step that reads or writes it goes by a view.
 */
#ifndef NNEFC_EXEC_VIEW_H
#define NNEFC_EXEC_VIEW_H

#include "op/attr.h"
#include "tensor/shape.h"

#include <stdbool.h>
#include <stdint.h>

struct node;

/* --- layouts --------------------------------------------------------------------------------- */

enum layout { LAYOUT_PLAIN, LAYOUT_CHANNELS_LAST, LAYOUT_COUNT };

/* Sets of layouts. */
enum { IN_PLAIN = 1 << LAYOUT_PLAIN, IN_CHANNELS_LAST = 1 << LAYOUT_CHANNELS_LAST };

/* Extents in the order of the layout, slowest first, of a shape that counts as one of `rank`. */
struct shape layout_shape(const struct shape *shape, int rank, enum layout layout);

/* Which dimension of NNEF the one at that place of the layout is. */
int layout_axis(int rank, enum layout layout, int place);

/* Do items of that shape lie alike in all layouts? */
bool layout_is_moot(const struct shape *shape);

/* Short name for plans and profiles: "plain", "channels-last". */
const char *layout_name(enum layout layout);

/* --- views ----------------------------------------------------------------------------------- */

/* The first item, and the distance of neighbours along each dimension of NNEF, in items. */
struct strided_view {
    int64_t at, stride[MAX_RANK];
};

/* A tensor in that layout, from the beginning of its buffer. */
struct strided_view view_in_order(const struct shape *shape, enum layout layout);

/* Are its strides those of the layout?  The beginning and strides of extents of 1 do not matter. */
bool view_is_in_order(const struct strided_view *view, const struct shape *shape,
                      enum layout layout);

/* The result of a node as a view of the buffer in which `operand` shows its operand: of transpose,
 * of slice, and of squeeze and unsqueeze.  Operand and result of the first two are of one rank. */
struct strided_view view_transposed(const struct node *node, const struct strided_view *operand);
struct strided_view view_sliced(const struct node *node, const struct strided_view *operand);
struct strided_view view_squeezed(const struct node *node, const struct strided_view *operand);

/* A part of `whole` that begins at item `at` of an axis; if `drops`, the part lacks that axis. */
struct strided_view view_part(const struct strided_view *whole, int axis, int64_t at, bool drops);

/* The dimension of the operand of a transpose that becomes dimension `axis` of the result. */
int transposed_axis(const struct node *node, int axis);

/* Does the node leave the items in their order, and change no more than shape or name? */
bool keeps_items(const struct node *node);

/* --- rows along axes ------------------------------------------------------------------------- */

/* Item [o, k, i] of row (o, i) is number (o * length + k) * inner + i in memory. */
struct row_layout {
    int64_t outer, length, inner;
};

/* A tensor as rows along some of its axes.  False if these do not lie together in that layout, or
 * if there are no items. */
bool row_layout_of(const struct shape *shape, const struct integers *axes, enum layout layout,
                   struct row_layout *reduction);

#endif
