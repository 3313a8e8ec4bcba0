/*
 * window.h - geometry of sliding windows, shared by conv, box, pooling and their reverses (4.3)
 *
 * A basic operation reads, for output o and tap k of a dimension, input o * stride + k * dilation
 * - before; a reverse one reads input (o + before - k * dilation) / stride where that division is
 * exact.  What lies outside the input is settled by 'border'.
 */
#ifndef NNEFC_OP_WINDOW_H
#define NNEFC_OP_WINDOW_H

#include "op/op.h"

enum { OUTSIDE = -1 };

/* Index of the item that stands for item `i` < 0 or >= extent; OUTSIDE if none does. */
int64_t border_index(enum border border, int64_t i, int64_t extent);

/* The largest padding that the border can fill on one side of `extent` items. */
int64_t border_room(enum border border, int64_t extent);

/* What the geometry is made from. */
struct window_source {
    const struct window_attrs *attrs;
    const struct shape *input;
    const struct shape *filter; /* extents of the window; NULL: attrs->size */
    int first;                  /* dimension of the first item of padding, stride, dilation */
    int rank;                   /* of input, output and filter, padded with 1 */
    bool reverse;
};

struct window_dim {
    int64_t in, out; /* extents */
    int64_t size, stride, dilation;
    int64_t before, after; /* padding */
    int64_t pitch;         /* distance of neighbours in the input, in items */
};

/* Extent that the taps of a window cover; in range once a shape rule has passed. */
static inline int64_t window_reach(const struct window_dim *dim)
{
    return (dim->size - 1) * dim->dilation + 1;
}

/* Extent that all taps of a reverse window cover together, before padding cuts off from it. */
static inline int64_t window_full(const struct window_dim *dim)
{
    return (dim->in - 1) * dim->stride + window_reach(dim);
}

/* The dimensions source->first and on; at least one. */
struct window {
    int rank;
    bool reverse;
    enum border border;
    struct window_dim dim[MAX_RANK];
};

/*
 * Source of an operation whose window covers all dimensions, of operand 0; checks the number of
 * items in its attributes.
 */
bool window_source_full(const struct infer *infer, bool reverse, struct window_source *source);

/* The number of items in padding, stride, dilation and output_shape. */
bool window_check_counts(const struct infer *infer, const struct window_source *source);

/*
 * Extents of `out` from dimension source->first on.  Checks that the window fits the input and
 * the border what it has to fill; output_shape, too.
 */
bool window_infer(const struct infer *infer, const struct window_source *source, struct shape *out);

/* Every window has a tap inside the input (for border 'ignore'). */
bool window_check_taps(const struct infer *infer, const struct window_source *source,
                       const struct shape *out);

/* The geometry of an operation that passed window_infer(). */
struct window window_of(const struct window_source *source, const struct shape *out);

/* Automatic padding along `axis` is larger or smaller by what its stride leaves over. */
bool window_rounds(const struct window_source *source, int axis);

/* The same from a node's operand, result and attributes, for windows over all dimensions. */
struct window window_of_eval(const struct eval *eval, bool reverse);

/* Every item of `index` numbers a tap of the window, in row-major order. */
bool window_check_indices(const struct eval *eval, const struct window *window,
                          const struct tensor *index);

/* Input coordinate for output `o` and tap `k` of a dimension, OUTSIDE if there is none. */
int64_t window_input(const struct window *window, int axis, int64_t o, int64_t k);

/* The number of taps of the window; a double, since the product may be of any size. */
double window_volume(const struct window *window);

/* Taps of dimension `axis` that hit the input, for output `o`. */
int64_t window_hits(const struct window *window, int axis, int64_t o);

/* --- sums over windows (section 4.3.2, box.c) --------------------------------------------- */

struct box {
    struct window window;
    bool normalize; /* divide by the volume of the window, without what 'ignore' leaves out */
    bool rms;       /* root of the sum of squares instead of the sum */
};

/* From eval->in[0] to eval->out[0]. */
bool box_run(const struct eval *eval, const struct box *box);

#endif
