/*
 * box.c - sums over a sliding window (sections 4.3.2 and 4.9.3)
 *
 * box:   output[o] = sum over k of input[o * stride + k * dilation - before]
 * debox: output[o] = sum over k of input[(o + before - k * dilation) / stride], exact ones only
 * in all dimensions at once.  'normalize' divides by the volume of the window; with border
 * 'ignore' by the number of its taps that hit the input (E15).  avg_pool is a normalized box,
 * rms_pool the root of one over squares.
 */
#include "op/box.h"

#include "op/onnx_window.h"
#include "op/share.h"
#include "op/sweep.h"

#include <math.h>

#define BOX_FIELDS                                                                          \
    {OP_ATTR(window_attrs, border), .kind = ATTR_ENUM, .names = border_names}, WINDOW_SIZE, \
        WINDOW_PADDING, WINDOW_STRIDE, WINDOW_DILATION
#define BOX_NORMALIZE                                          \
    {                                                          \
        OP_ATTR(window_attrs, normalize), .kind = ATTR_LOGICAL \
    }

static const struct op_attr pool_fields[] = {BOX_FIELDS, {0}};
static const struct op_attr box_fields[] = {BOX_FIELDS, BOX_NORMALIZE, {0}};
static const struct op_attr debox_fields[] = {BOX_FIELDS, WINDOW_OUTPUT_SHAPE, BOX_NORMALIZE, {0}};

/* --- shapes ----------------------------------------------------------------------------- */

static bool infer_window(struct infer *infer, bool reverse, bool normalize)
{
    struct window_source source;

    return window_source_full(infer, reverse, &source) &&
           window_infer(infer, &source, &infer->out[0]) &&
           (!normalize || window_check_taps(infer, &source, &infer->out[0]));
}

static bool box_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;

    return infer_window(infer, false, attrs->normalize);
}

static bool debox_infer(struct infer *infer)
{
    return infer_window(infer, true, false);
}

static bool pool_infer(struct infer *infer)
{
    return infer_window(infer, false, true);
}

/* --- kernel ----------------------------------------------------------------------------- */

static double volume_of(const struct window *window)
{
    double volume = 1;

    for (int i = 0; i < window->rank; i++)
        volume *= (double)window->dim[i].size;
    return volume;
}

/* Taps of a dimension that hit the input. */
static int64_t count_hits(const struct window *window, int axis, int64_t o)
{
    int64_t hits = 0;

    for (int64_t tap = 0; tap < window->dim[axis].size; tap++)
        hits += window_input(window, axis, o, tap) != OUTSIDE;
    return hits;
}

/* Sum a block; returns how many combinations of the outer taps hit the input. */
static int64_t sum_block(const struct box *box, const float *input, int64_t row,
                         struct block *block)
{
    int64_t taps = box->window.dim[box->window.rank - 1].size, hits = 0;
    struct sweep sweep;

    sweep_begin(&sweep, &box->window, row);
    do {
        if (sweep.in == OUTSIDE)
            continue;
        hits++;
        for (int64_t tap = 0; tap < taps; tap++) {
            struct span_taps span = block_span(block, tap);
            if (box->rms)
                block_add_squares(block, &span, input + sweep.in);
            else
                block_add(block, &span, input + sweep.in, 1);
        }
    } while (sweep_next(&sweep));
    return hits;
}

static void divide_block(const struct box *box, struct block *block, int64_t row_hits)
{
    double volume = volume_of(&box->window);
    int last = box->window.rank - 1;

    for (int64_t o = block->begin; o < block->end; o++) {
        if (box->window.border == BORDER_IGNORE)
            volume = (double)(row_hits * count_hits(&box->window, last, o));
        if (volume > 0)
            block->sum[o - block->begin] /= volume;
    }
}

struct boxes {
    const struct box *box;
    const float *input;
    float *output;
};

static void box_row(const void *data, int64_t row)
{
    const struct boxes *boxes = data;
    const struct box *box = boxes->box;
    int64_t size = box->window.dim[box->window.rank - 1].out;
    float *output = boxes->output + row * size;
    struct block block;

    for (int64_t begin = 0; begin < size; begin = block.end) {
        block_begin(&block, &box->window, begin, 0);
        int64_t hits = sum_block(box, boxes->input, row, &block);
        if (box->normalize)
            divide_block(box, &block, hits);
        for (int64_t o = begin; o < block.end; o++) {
            double sum = block.sum[o - begin];
            output[o] = (float)(box->rms ? sqrt(sum) : sum);
        }
    }
}

bool box_run(const struct eval *eval, const struct box *box)
{
    const struct boxes boxes = {box, eval->in[0]->data, eval->out[0]->data};

    eval_share(eval, sweep_rows(&box->window), box_row, &boxes);
    return true;
}

static bool run(const struct eval *eval, bool reverse, bool normalize, bool rms)
{
    struct box box = {window_of_eval(eval, reverse), normalize, rms};

    return box_run(eval, &box);
}

static bool box_eval(const struct eval *eval)
{
    const struct window_attrs *attrs = eval->attrs;

    return run(eval, false, attrs->normalize, false);
}

static bool debox_eval(const struct eval *eval)
{
    const struct window_attrs *attrs = eval->attrs;

    return run(eval, true, attrs->normalize, false);
}

static bool avg_pool_eval(const struct eval *eval)
{
    return run(eval, false, true, false);
}

static bool rms_pool_eval(const struct eval *eval)
{
    return run(eval, false, true, true);
}

/* --- ONNX ------------------------------------------------------------------------------- */

/* AveragePool can: it has dilations since opset 19, and less padding than its window is large. */
static bool averages(const struct emit *e, const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].size > 1 && window->dim[i].dilation > 1 && e->opset < 19)
            return false;
    return window_pads_fit(window);
}

static const char *slide_average(const struct view *view, int result, const char *x)
{
    const char *y = emit(view->e, result, "AveragePool", x, NULL);

    emit_window_attrs(view->e, &view->window);
    emit_attr_int(view->e, "count_include_pad", view->window.border != BORDER_IGNORE);
    return y;
}

/* Convolution of each channel with a window of equal weights. */
static const char *slide_weights(const struct view *view, int result, const char *x, double weight)
{
    const struct emit *e = view->e;
    struct shape shape = {.rank = 2, .extent = {view_channels(view), 1}};
    float *items;

    for (int i = 0; i < view->window.rank; i++)
        shape.extent[shape.rank++] = view->window.dim[i].size;
    items = emit_room(e, shape_volume(&shape), sizeof *items);
    for (int64_t i = 0; i < shape_volume(&shape); i++)
        items[i] = (float)weight;
    const char *weights = emit_scalars(e, &shape, items);
    const char *y =
        emit(e, result, view->window.reverse ? "ConvTranspose" : "Conv", x, weights, NULL);
    emit_window_attrs(e, &view->window);
    emit_attr_int(e, "group", shape.extent[0]);
    return y;
}

static const char *box_turn(const struct emit *e, int result, const char *x,
                            const struct window *turn, bool normalize)
{
    struct view view = view_of(e, turn);
    double volume = volume_of(turn);
    int last = view_result(&view, result);

    x = view_input(&view, x);
    if (!averages(e, turn))
        x = slide_weights(&view, last, x, normalize ? 1 / volume : 1);
    else if (normalize || volume <= 1)
        x = slide_average(&view, last, x);
    else
        x = emit(e, last, "Mul", slide_average(&view, EMIT_TEMP, x), emit_scalar(e, volume), NULL);
    return view_leave(&view, result, x);
}

static const char *debox_turn(const struct emit *e, int result, const char *x, struct window *turn,
                              bool normalize)
{
    double weight = normalize ? 1 / volume_of(turn) : 1;

    x = emit_reverse_border(e, x, 0, turn);
    struct view view = view_of(e, turn);
    x = slide_weights(&view, view_result(&view, result), view_input(&view, x), weight);
    return view_leave(&view, result, x);
}

/* Three dimensions at a time: sums of sums. */
static const char *take_turns(const struct emit *e, int result, const char *x,
                              const struct window *window, bool normalize)
{
    struct window rest = *window, turn;

    if (window_sliding(window) == 0)
        return emit(e, result, "Identity", x, NULL);
    while (window_turn(&rest, &turn)) {
        int last = window_sliding(&rest) == 0 ? result : EMIT_TEMP;
        x = window->reverse ? debox_turn(e, last, x, &turn, normalize)
                            : box_turn(e, last, x, &turn, normalize);
    }
    return x;
}

static bool all_one(const float *items, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (items[i] > 1)
            return false;
    return true;
}

/* Divide by the number of taps that hit the input, which is a product over the dimensions. */
static const char *divide_by_hits(const struct emit *e, int result, const char *x,
                                  const struct window *window)
{
    struct chain chain = {.e = e, .x = x};

    for (int i = 0; i < window->rank; i++) {
        int64_t count = window->dim[i].out;
        float *hits = emit_room(e, count, sizeof *hits);
        for (int64_t o = 0; o < count; o++)
            hits[o] = fmaxf((float)count_hits(window, i, o), 1); /* 0 divides a sum of 0 */
        if (!all_one(hits, count))
            chain_add(&chain, "Div", emit_along(e, hits, count, window->rank - 1 - i));
    }
    return chain_end(&chain, result);
}

const char *emit_box(const struct emit *e, int result, const char *x, const struct window *window,
                     bool normalize)
{
    struct window prepared = *window;

    if (!normalize && window->border == BORDER_IGNORE)
        prepared.border = BORDER_CONSTANT;
    if (!window->reverse)
        x = emit_border(e, x, 0, &prepared);
    if (!normalize || window->border != BORDER_IGNORE ||
        (!window->reverse && averages(e, &prepared)))
        return take_turns(e, result, x, &prepared, normalize);
    prepared.border = BORDER_CONSTANT;
    x = take_turns(e, EMIT_TEMP, x, &prepared, false);
    return divide_by_hits(e, result, x, window);
}

static bool emit_node(const struct emit *e, bool reverse, bool normalize, bool rms)
{
    struct window window = emit_window(e, reverse);
    const char *x = emit_in_rank(e, 0, window.rank);

    if (rms)
        x = emit(e, EMIT_TEMP, "Mul", x, x, NULL);
    x = emit_box(e, rms ? EMIT_TEMP : 0, x, &window, normalize);
    if (rms)
        emit(e, 0, "Sqrt", x, NULL);
    return true;
}

static bool box_to_onnx(const struct emit *e)
{
    const struct window_attrs *attrs = e->attrs;

    return emit_node(e, false, attrs->normalize, false);
}

static bool debox_to_onnx(const struct emit *e)
{
    const struct window_attrs *attrs = e->attrs;

    return emit_node(e, true, attrs->normalize, false);
}

static bool avg_pool_to_onnx(const struct emit *e)
{
    return emit_node(e, false, true, false);
}

static bool rms_pool_to_onnx(const struct emit *e)
{
    return emit_node(e, false, true, true);
}

/* --- descriptors ------------------------------------------------------------------------ */

const struct op_desc op_box = {
    .name = "box",
    .kind = "pool",
    .attrs = box_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .infer = box_infer,
    .eval = box_eval,
    .to_onnx = box_to_onnx,
};

const struct op_desc op_debox = {
    .name = "debox",
    .attrs = debox_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .infer = debox_infer,
    .eval = debox_eval,
    .to_onnx = debox_to_onnx,
};

const struct op_desc op_avg_pool = {
    .name = "avg_pool",
    .kind = "pool",
    .attrs = pool_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .infer = pool_infer,
    .eval = avg_pool_eval,
    .to_onnx = avg_pool_to_onnx,
};

const struct op_desc op_rms_pool = {
    .name = "rms_pool",
    .kind = "pool",
    .attrs = pool_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .infer = pool_infer,
    .eval = rms_pool_eval,
    .to_onnx = rms_pool_to_onnx,
};
