/*
 * export_window.h - what emitters of sliding windows share (sections 4.3, 4.5.5 and 4.9.3)
 *
 * Windows of ONNX slide along the dimensions behind batch and channel, ONNX Runtime pools along
 * three of them at most and with less padding than the window has items.  Windows of NNEF cover
 * all dimensions and have borders of many kinds.  In this order the one becomes the other: what
 * ONNX cannot pad is put around the input (emit_border), windows over more than three dimensions
 * are taken in turns (window_turn), and each turn is looked at as ONNX wants it (view_of).
 */
#ifndef NNEFC_CONVERT_ONNX_EXPORT_WINDOW_H
#define NNEFC_CONVERT_ONNX_EXPORT_WINDOW_H

#include "convert/onnx/emit.h"
#include "op/window.h"

enum {
    TURN = 3,            /* dimensions that ONNX Runtime pools along at once */
    MOVED = MAX_RANK - 2 /* those of a view at most */
};

/* --- geometry ------------------------------------------------------------------------------ */

/* The window of `source` at result 0, whose attributes go into nodes. */
struct window emit_window_of(const struct emit *e, const struct window_source *source);

/* Of the node's operand 0 and result 0, over all dimensions of the result. */
struct window emit_window(const struct emit *e, bool reverse);

/* The number of dimensions along which the window does more than stand still. */
int window_sliding(const struct window *window);

/* All padding is less than the size of the window. */
bool window_pads_fit(const struct window *window);

/*
 * Moves up to three of the dimensions that slide from *rest, the last ones first, to *turn, where
 * the others stand still.  False if no dimension of *rest slides.
 */
bool window_turn(struct window *rest, struct window *turn);

/* --- padding ------------------------------------------------------------------------------- */

/* Padding of a tensor of any rank. */
struct emit_padding {
    struct shape shape;          /* of what is padded */
    int64_t amount[MAX_RANK][2]; /* before and after, for each dimension */
    enum border border;          /* 'ignore' is as 'constant' */
    double value;
};

/* `x` with items put around it, or cut off where the amount is negative. */
const char *emit_pad(const struct emit *e, const char *x, const struct emit_padding *padding);

/*
 * Puts items around `x`, or cuts them off, where a window of ONNX cannot do so by itself, and
 * changes *window, which covers the dimensions `first` and on of `x`, accordingly.  What is left
 * are zeros of border 'constant' or taps that 'ignore' leaves out.
 */
const char *emit_border(const struct emit *e, const char *x, int first, struct window *window);

/* Puts all padding of *window, which covers all dimensions of `x`, around it as `value`. */
const char *emit_filled(const struct emit *e, const char *x, struct window *window, double value);

/* emit_border() for a reverse window: what is left is the padding of ConvTranspose. */
const char *emit_reverse_border(const struct emit *e, const char *x, int first,
                                struct window *window);

/* --- windows as ONNX has them ---------------------------------------------------------------- */

/* A tensor whose window slides along one to three dimensions as [batch, channel, ...]. */
struct window_view {
    const struct emit *e;
    struct window window; /* of the dimensions behind the first two */
    struct shape in, out; /* of the tensors as they are */
    int added;            /* dimensions of extent 1 among the first two */
    bool folded;          /* dimensions that stand still are one, before those that slide: */
    int64_t order[MAX_RANK];
};

struct window_view view_of(const struct emit *e, const struct window *turn);

/* A tensor of the shape of the input, or of the result, seen so. */
const char *view_input(const struct window_view *view, const char *x);
const char *view_output(const struct window_view *view, const char *x);

/* `y`, seen so, in the shape of the result. */
const char *view_leave(const struct window_view *view, const char *y);

/* Channels of the view. */
int64_t view_channels(const struct window_view *view);

/* Attributes kernel_shape, strides, pads, and where needed dilations and output_padding. */
void emit_window_attrs(const struct emit *e, const struct window *window);

/* --- vectors along one dimension ---------------------------------------- */

/* `count` numbers, for a tensor that has `behind` more dimensions after that one. */
const char *emit_along(const struct emit *e, const float *items, int64_t count, int behind);

/* first, first + step, first + 2 * step, ... likewise. */
const char *emit_steps(const struct emit *e, int64_t first, int64_t step, int64_t count,
                       int behind);

/* --- windows that other operations need ----------------------------------------------------- */

/* Sums of `x`, or means, over a window that covers all its dimensions. */
const char *emit_box(const struct emit *e, const char *x, const struct window *window,
                     bool normalize);

/* Maxima of `x` over a window without padding that covers all its dimensions. */
const char *emit_maxima(const struct emit *e, const char *x, const struct window *window);

#endif
