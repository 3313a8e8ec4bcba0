/*
 * desample.c - the reverse of sample (section 4.3.3)
 *
 * output[o] = sum of input[i], i = (o + before - k * dilation) / stride, over all taps k for
 * which the division is exact and index[i] = k, k counted in row-major order over the window.
 * It undoes argmax_pool: a value goes where its maximum was, and several in one place add up.
 */
#include "op/check.h"
#include "op/onnx_window.h"
#include "op/share.h"
#include "op/sweep.h"

/* With indices into the window a border can contribute nothing. */
static const char *const border_names_constant[] = {"constant", NULL};

static const struct op_attr desample_fields[] = {
    {OP_ATTR(window_attrs, border), .kind = ATTR_ENUM, .names = border_names_constant},
    WINDOW_SIZE,
    WINDOW_PADDING,
    WINDOW_STRIDE,
    WINDOW_DILATION,
    WINDOW_OUTPUT_SHAPE,
    {0},
};

static bool desample_infer(struct infer *infer)
{
    const struct shape *input = infer_in(infer, 0), *index = infer_in(infer, 1);
    struct window_source source;

    if (!shape_equal(index, input))
        return infer_error(infer, "index", DIAG_SHAPE_MISMATCH,
                           "index of 'desample' has shape %s, expected shape %s of the input",
                           SHAPE_TEXT(index), SHAPE_TEXT(input));
    return window_source_full(infer, true, &source) && window_infer(infer, &source, &infer->out[0]);
}

static double sum_item(const struct eval *eval, const struct sweep *at, int64_t o)
{
    const struct window *window = at->window;
    const float *input = eval->in[0]->data;
    const int64_t *index = eval->in[1]->data;
    int last = window->rank - 1;
    int64_t taps = window->dim[last].size;
    double sum = 0;

    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t in = window_input(window, last, o, tap);
        if (in != OUTSIDE && index[at->in + in] == at->number * taps + tap)
            sum += (double)input[at->in + in];
    }
    return sum;
}

static void desample_block(const struct eval *eval, int64_t row, struct block *block)
{
    struct sweep sweep;

    sweep_begin(&sweep, block->window, row);
    do {
        if (sweep.in == OUTSIDE)
            continue;
        for (int64_t o = block->begin; o < block->end; o++)
            block->sum[o - block->begin] += sum_item(eval, &sweep, o);
    } while (sweep_next(&sweep));
}

struct desampling {
    const struct eval *eval;
    struct window window;
};

static void desample_row(const void *data, int64_t row)
{
    const struct desampling *d = data;
    int64_t size = d->window.dim[d->window.rank - 1].out;
    float *output = (float *)d->eval->out[0]->data + row * size;
    struct block block;

    for (int64_t begin = 0; begin < size; begin = block.end) {
        block_begin(&block, &d->window, begin, 0);
        desample_block(d->eval, row, &block);
        for (int64_t o = begin; o < block.end; o++)
            output[o] = (float)block.sum[o - begin];
    }
}

static bool desample_eval(const struct eval *eval)
{
    const struct desampling d = {eval, window_of_eval(eval, true)};

    if (!window_check_indices(eval, &d.window, eval->in[1]))
        return false;
    eval_share(eval, sweep_rows(&d.window), desample_row, &d);
    return true;
}

/* --- ONNX ------------------------------------------------------------------------------- */

/* Zeros with batch and channels of `x` and `count` items in each. */
static const char *emit_zeros(const struct emit *e, const char *x, int64_t count)
{
    static const int64_t axes[] = {0}, begin[] = {0}, end[] = {2};
    const struct emit_range at = {1, axes, begin, end, NULL};
    const char *shape = emit(e, EMIT_TEMP, "Shape", x, NULL);

    shape = emit_slice(e, EMIT_TEMP, shape, &at);
    shape = emit(e, EMIT_TEMP, "Concat", shape, emit_vector(e, &count, 1), NULL);
    emit_attr_int(e, "axis", 0);
    return emit(e, EMIT_TEMP, "ConstantOfShape", shape, NULL);
}

/* Room for the result and for what the taps reach beyond it. */
struct reach {
    int rank;
    int64_t extent[MAX_RANK], shift[MAX_RANK], begin[MAX_RANK], end[MAX_RANK];
    int64_t volume;
};

static struct reach reach_of(const struct window *window)
{
    struct reach reach = {.rank = window->rank, .volume = 1};

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t spread = (dim->in - 1) * dim->stride + (dim->size - 1) * dim->dilation + 1;
        reach.shift[i] = dim->before < 0 ? -dim->before : 0;
        reach.begin[i] = dim->before < 0 ? 0 : dim->before;
        reach.end[i] = reach.begin[i] + dim->out;
        reach.extent[i] = spread + reach.shift[i];
        if (reach.extent[i] < reach.end[i])
            reach.extent[i] = reach.end[i];
        reach.volume *= reach.extent[i];
    }
    return reach;
}

/* Add each item to a zero at the place of its tap, and cut off what lies outside the result. */
static const char *scatter(const struct view *view, int result, const char *x, const char *index)
{
    static const int64_t axes[MOVED] = {2, 3, 4, 5, 6, 7};
    const struct emit *e = view->e;
    struct reach reach = reach_of(&view->window);
    const struct emit_range at = {reach.rank, axes, reach.begin, reach.end, NULL};
    struct shape shape = {.rank = 2, .extent = {0, 0}};

    for (int i = 0; i < reach.rank; i++)
        shape.extent[shape.rank++] = reach.extent[i];
    index = emit_places(view, index, reach.extent, reach.shift);
    x = emit(e, EMIT_TEMP, "ScatterElements", emit_zeros(e, x, reach.volume), emit_flat(e, index),
             emit_flat(e, x), NULL);
    emit_attr_int(e, "axis", 2);
    emit_attr_string(e, "reduction", "add");
    x = emit_reshape(e, EMIT_TEMP, x, &shape);
    return emit_slice(e, result, x, &at);
}

/* Tap k of a window as a filter whose input channel k is 1 at k and 0 elsewhere. */
static const char *emit_one_hot(const struct emit *e, const struct window *window)
{
    struct shape shape = {.rank = 2, .extent = {1, 1}};
    float *items;

    for (int i = 0; i < window->rank; i++) {
        shape.extent[0] *= window->dim[i].size;
        shape.extent[shape.rank++] = window->dim[i].size;
    }
    items = emit_room(e, shape_volume(&shape), sizeof *items);
    for (int64_t tap = 0; tap < shape.extent[0]; tap++)
        items[tap * shape.extent[0] + tap] = 1;
    return emit_scalars(e, &shape, items);
}

/* The window without padding; what its result has too little or too much goes to *padding. */
static struct window unpadded(const struct window *window, struct emit_padding *padding)
{
    struct window full = *window;

    *padding = (struct emit_padding){.shape = {.rank = 2 + window->rank}};
    for (int i = 0; i < full.rank; i++) {
        struct window_dim *dim = &full.dim[i];
        int64_t out = dim->out, before = dim->before;
        dim->out = (dim->in - 1) * dim->stride + (dim->size - 1) * dim->dilation + 1;
        dim->before = dim->after = 0;
        padding->amount[2 + i][0] = -before;
        padding->amount[2 + i][1] = out + before - dim->out;
    }
    return full;
}

/* Before ScatterElements could add: what belongs to each tap becomes a channel of its own. */
static const char *spread_taps(const struct view *view, int result, const char *x,
                               const char *index)
{
    const struct emit *e = view->e;
    struct emit_padding padding;
    const struct window window = unpadded(&view->window, &padding);
    struct shape in = {.rank = 2, .extent = {-1, 1}};
    struct shape out = {.rank = 2, .extent = {-1, view_channels(view)}};
    int64_t taps = 1;

    for (int i = 0; i < window.rank; i++) {
        in.extent[in.rank++] = window.dim[i].in;
        out.extent[out.rank++] = view->window.dim[i].out;
        taps *= window.dim[i].size;
    }
    index = emit_reshape(e, EMIT_TEMP, index, &in);
    x = emit_reshape(e, EMIT_TEMP, x, &in);
    index = emit(e, EMIT_TEMP, "Equal", index, emit_steps(e, 0, 1, taps, window.rank), NULL);
    x = emit(e, EMIT_TEMP, "Where", index, x, emit_scalar(e, 0), NULL);
    x = emit(e, EMIT_TEMP, "ConvTranspose", x, emit_one_hot(e, &window), NULL);
    emit_window_attrs(e, &window);
    return emit_reshape(e, result, emit_pad(e, EMIT_TEMP, x, &padding), &out);
}

static bool desample_to_onnx(const struct emit *e)
{
    struct window window = emit_window(e, true);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);

    if (!emit_check_sliding(e, &window, MOVED))
        return false;
    if (window_sliding(&window) == 0) {
        emit(e, 0, "Identity", x, NULL);
        return true;
    }
    struct view view = view_of(e, &window);
    x = view_input(&view, x);
    index = view_input(&view, index);
    x = (e->opset >= 16 ? scatter : spread_taps)(&view, view_result(&view, 0), x, index);
    view_leave(&view, 0, x);
    return true;
}

const struct op_desc op_desample = {
    .name = "desample",
    .attrs = desample_fields,
    .attrs_size = sizeof(struct window_attrs),
    .infer = desample_infer,
    .eval = desample_eval,
    .to_onnx = desample_to_onnx,
};
