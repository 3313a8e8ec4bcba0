/*
 * pool.c - maxima of a sliding window and where they are (sections 4.3.3 and 4.9.3)
 *
 * argmax_pool: index[o] = the first k, in row-major order over the window, with the largest
 *              input[o * stride + k * dilation - before]
 * sample:      output[o] = input[o * stride + index[o] * dilation - before]
 * max_pool_with_index makes both at once, max_pool the second.  The zeros of border 'constant'
 * compete with the data (E17); taps outside the input do not with 'ignore'.
 */
#include "op/pool.h"

#include "op/check.h"
#include "op/onnx_window.h"
#include "op/op_build.h"
#include "op/op_families.h"
#include "op/share.h"
#include "op/sweep.h"

#include <float.h>
#include <inttypes.h>

static const struct op_attr pool_fields[] = {
    {OP_ATTR(window_attrs, border), .kind = ATTR_ENUM, .names = border_names},
    WINDOW_SIZE,
    WINDOW_PADDING,
    WINDOW_STRIDE,
    WINDOW_DILATION,
    {0},
};

/* --- shapes ----------------------------------------------------------------------------- */

static bool infer_pool(const struct infer *infer, struct window_source *source, struct shape *out)
{
    return window_source_full(infer, false, source) && window_infer(infer, source, out) &&
           window_check_taps(infer, source, out);
}

static bool argmax_pool_infer(struct infer *infer)
{
    struct window_source source;

    return infer_pool(infer, &source, &infer->out[0]);
}

static bool is_padded(const struct window_source *source, const struct shape *out)
{
    struct window window;

    if (!shape_known(source->input) || !shape_known(out))
        return false;
    window = window_of(source, out);
    for (int i = 0; i < window.rank; i++)
        if (window.dim[i].before > 0 || window.dim[i].after > 0)
            return true;
    return false;
}

static bool max_pool_infer(struct infer *infer)
{
    struct window_source source;

    if (!infer_pool(infer, &source, &infer->out[0]))
        return false;
    if (infer->nout > 1)
        infer->out[1] = infer->out[0];
    if (source.attrs->border == BORDER_CONSTANT && is_padded(&source, &infer->out[0]))
        infer_warning(infer, "border", WARNING_MAX_POOL_BORDER,
                      "the zeros that border 'constant' pads with compete with the data of '%s', "
                      "'ignore' leaves them out",
                      infer_name(infer));
    return true;
}

static bool check_index(const struct infer *infer, const struct shape *expected, const char *what)
{
    const struct shape *index = infer_in(infer, 1);

    if (shape_equal(index, expected))
        return true;
    return infer_error(infer, "index", DIAG_SHAPE_MISMATCH,
                       "index of '%s' has shape %s, expected shape %s of the %s", infer_name(infer),
                       SHAPE_TEXT(index), SHAPE_TEXT(expected), what);
}

/* The indices of max_pool_with_index never point outside, so 'ignore' has a meaning there (E16). */
static bool within_max_pool(const struct infer *infer)
{
    const struct call_site *site = infer->call->site;

    return site && op_find(site->fragment) == &op_max_pool_with_index;
}

static bool sample_infer(struct infer *infer)
{
    const struct window_attrs *attrs = infer->attrs;
    struct window_source source;

    if (attrs->border == BORDER_IGNORE && !within_max_pool(infer))
        return infer_error(infer, "border", DIAG_ENUM_VALUE,
                           "border of 'sample' is 'ignore', expected a border that has values");
    return window_source_full(infer, false, &source) &&
           window_infer(infer, &source, &infer->out[0]) &&
           check_index(infer, &infer->out[0], "result");
}

/* --- maxima ----------------------------------------------------------------------------- */

struct pool {
    struct window window;
    const float *input;
    float *output;  /* NULL if not wanted */
    int64_t *index; /* NULL if not wanted; what sample reads */
};

struct best {
    float value[BLOCK_SIZE];
    int64_t index[BLOCK_SIZE]; /* OUTSIDE before the first */
};

static void offer(struct best *best, int64_t n, float value, int64_t index)
{
    if (best->index[n] != OUTSIDE && !(value > best->value[n]))
        return;
    best->value[n] = value;
    best->index[n] = index;
}

/* Let the taps of the last dimension compete. */
static void compete(const struct pool *pool, const struct sweep *sweep, int64_t begin, int64_t end,
                    struct best *best)
{
    const struct window *window = &pool->window;
    int last = window->rank - 1;
    int64_t taps = window->dim[last].size, first = sweep->number * taps;

    for (int64_t tap = 0; tap < taps; tap++)
        for (int64_t o = begin; o < end; o++) {
            bool row = sweep->in != OUTSIDE;
            int64_t in = row ? window_input(window, last, o, tap) : OUTSIDE;
            if (in != OUTSIDE)
                offer(best, o - begin, pool->input[sweep->in + in], first + tap);
            else if (window->border != BORDER_IGNORE)
                offer(best, o - begin, 0, first + tap);
        }
}

static void pool_block(const struct pool *pool, int64_t row, int64_t begin, int64_t end)
{
    int64_t first = row * pool->window.dim[pool->window.rank - 1].out + begin;
    struct sweep sweep;
    struct best best = {{0}, {0}};

    for (int64_t n = 0; n < end - begin; n++)
        best.index[n] = OUTSIDE;
    sweep_begin(&sweep, &pool->window, row);
    do
        compete(pool, &sweep, begin, end, &best);
    while (sweep_next(&sweep));
    for (int64_t n = 0; n < end - begin; n++) {
        if (pool->output)
            pool->output[first + n] = best.value[n];
        if (pool->index)
            pool->index[first + n] = best.index[n];
    }
}

static struct pool pool_of(const struct eval *eval)
{
    return (struct pool){.window = window_of_eval(eval, false), .input = eval->in[0]->data};
}

static void pool_row(const void *data, int64_t row)
{
    const struct pool *pool = data;
    int64_t size = pool->window.dim[pool->window.rank - 1].out;

    for (int64_t begin = 0; begin < size; begin += BLOCK_SIZE)
        pool_block(pool, row, begin, begin + BLOCK_SIZE < size ? begin + BLOCK_SIZE : size);
}

static bool run_pool(const struct eval *eval, const struct pool *pool)
{
    eval_share(eval, sweep_rows(&pool->window), pool_row, pool);
    return true;
}

static bool argmax_pool_eval(const struct eval *eval)
{
    struct pool pool = pool_of(eval);

    pool.index = eval->out[0]->data;
    return run_pool(eval, &pool);
}

static bool max_pool_eval(const struct eval *eval)
{
    struct pool pool = pool_of(eval);

    pool.output = eval->out[0]->data;
    return run_pool(eval, &pool);
}

static bool max_pool_with_index_eval(const struct eval *eval)
{
    struct pool pool = pool_of(eval);

    pool.output = eval->out[0]->data;
    pool.index = eval->out[1]->data;
    return run_pool(eval, &pool);
}

/* --- sample ----------------------------------------------------------------------------- */

/* Offset of the input that output `o` reads at tap `index`, OUTSIDE if there is none. */
static int64_t locate(const struct window *window, int64_t o, int64_t index)
{
    int64_t offset = 0;

    for (int i = window->rank - 1; i >= 0; i--) {
        const struct window_dim *dim = &window->dim[i];
        int64_t in = window_input(window, i, o % dim->out, index % dim->size);
        if (in == OUTSIDE)
            return OUTSIDE;
        offset += in * dim->pitch;
        o /= dim->out;
        index /= dim->size;
    }
    return offset;
}

static void sample_item(const void *data, int64_t o)
{
    const struct pool *pool = data;
    int64_t in = locate(&pool->window, o, pool->index[o]);

    pool->output[o] = in == OUTSIDE ? 0 : pool->input[in];
}

static bool sample_eval(const struct eval *eval)
{
    struct pool pool = pool_of(eval);

    pool.index = eval->in[1]->data;
    pool.output = eval->out[0]->data;
    if (!window_check_indices(eval, &pool.window, eval->in[1]))
        return false;
    eval_share(eval, shape_volume(&eval->out[0]->shape), sample_item, &pool);
    return true;
}

/* --- maxima in ONNX ---------------------------------------------------------------------- */

/*
 * MaxPool leaves out what it pads.  ONNX Runtime merges it with a Pad of zeros before it as if
 * that were the same, unless its indices are asked for, too.
 */
struct max_pool {
    const struct emit *e;
    bool indexed; /* ask for indices */
    const char *index;
};

static const char *slide_max(struct max_pool *pool, const struct view *view, int result,
                             const char *x)
{
    const char *y = emit(pool->e, result, "MaxPool", x, NULL);

    emit_window_attrs(pool->e, &view->window);
    if (pool->indexed)
        pool->index = emit_also(pool->e, EMIT_TEMP);
    return y;
}

/* Three dimensions at a time: maxima of maxima. */
static const char *take_turns(struct max_pool *pool, int result, const char *x,
                              const struct window *window)
{
    struct window rest = *window, turn;

    if (window_sliding(window) == 0)
        return emit(pool->e, result, "Identity", x, NULL);
    while (window_turn(&rest, &turn)) {
        struct view view = view_of(pool->e, &turn);
        int last = window_sliding(&rest) == 0 ? result : EMIT_TEMP;
        x = slide_max(pool, &view, view_result(&view, last), view_input(&view, x));
        x = view_leave(&view, last, x);
    }
    return x;
}

const char *emit_maxima(const struct emit *e, int result, const char *x,
                        const struct window *window)
{
    struct max_pool pool = {.e = e};

    return take_turns(&pool, result, x, window);
}

/* The zeros of border 'constant' where the window overlaps it, else less than anything. */
static const char *emit_zeros(const struct emit *e, const struct window *window, int axis)
{
    const struct window_dim *dim = &window->dim[axis];
    float *items = emit_room(e, dim->out, sizeof *items);

    for (int64_t o = 0; o < dim->out; o++) {
        int64_t first = o * dim->stride - dim->before;
        int64_t last = first + (dim->size - 1) * dim->dilation;
        items[o] = first < 0 || last >= dim->in ? 0 : -FLT_MAX;
    }
    return emit_along(e, items, dim->out, window->rank - 1 - axis);
}

static void compete_with_zeros(const struct emit *e, const char *y, const struct window *window)
{
    const char *in[MAX_RANK + 1] = {y};
    int count = 1;

    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before > 0 || window->dim[i].after > 0)
            in[count++] = emit_zeros(e, window, i);
    emit_list(e, 0, "Max", in, count);
}

static bool is_padded_below_zero(const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before < 0 || window->dim[i].after < 0)
            return true;
    return false;
}

/* Copies vanish before ONNX Runtime looks for pads. */
static bool comes_from_pad(const struct value *value)
{
    while (value->kind == VALUE_RESULT && value->producer->op == &op_copy)
        value = value->producer->in[0].value;
    return value->kind == VALUE_RESULT && value->producer->op == &op_pad;
}

/* Put all padding around `x`: zeros, or with 'ignore' what no item is less than. */
static const char *fill_border(const struct emit *e, const char *x, struct window *window)
{
    return emit_filled(e, x, window, window->border == BORDER_IGNORE ? -(double)FLT_MAX : 0);
}

static bool max_pool_to_onnx(const struct emit *e)
{
    struct window window = emit_window(e, false);
    struct max_pool pool = {
        .e = e, .indexed = is_padded_below_zero(&window) || comes_from_pad(e->node->in[0].value)};
    const char *x = emit_border(e, emit_in_rank(e, 0, window.rank), 0, &window);

    if (!window_pads_fit(&window)) {
        x = fill_border(e, x, &window);
        pool.indexed = true;
    }
    bool zeros = window.border == BORDER_CONSTANT && window_is_padded(&window);
    x = take_turns(&pool, zeros ? EMIT_TEMP : 0, x, &window);
    if (zeros)
        compete_with_zeros(e, x, &window);
    return true;
}

/* --- their indices ----------------------------------------------------------------------- */

/* The tap of one dimension that reads item `index` of a tensor. */
static const char *tap_reading(const struct view *view, const char *index, int axis)
{
    const struct emit *e = view->e;
    const struct window_dim *dim = &view->window.dim[axis];
    struct chain chain = {.e = e, .x = index};
    int64_t pitch = 1;

    for (int i = axis + 1; i < view->window.rank; i++)
        pitch *= view->window.dim[i].in;
    if (pitch > 1)
        chain_add(&chain, "Div", emit_integer(e, pitch));
    chain_add(&chain, "Mod", emit_integer(e, dim->in));
    chain_add(&chain, "Sub",
              emit_steps(e, -dim->before, dim->stride, dim->out, view->window.rank - 1 - axis));
    if (dim->dilation > 1)
        chain_add(&chain, "Div", emit_integer(e, dim->dilation));
    return chain_end(&chain, EMIT_TEMP);
}

/* ONNX numbers the items of the input, NNEF the taps of the window. */
static const char *number_taps(const struct view *view, int result, const char *index)
{
    const struct emit *e = view->e;
    struct chain chain = {.e = e};

    for (int i = 0; i < view->window.rank; i++) {
        if (view->window.dim[i].size == 1)
            continue;
        const char *tap = tap_reading(view, index, i);
        if (!chain.x) {
            chain.x = tap;
            continue;
        }
        chain_add(&chain, "Mul", emit_integer(e, view->window.dim[i].size));
        chain_add(&chain, "Add", tap);
    }
    if (!chain.x) {
        chain.x = index;
        chain_add(&chain, "Mul", emit_integer(e, 0));
    }
    return chain_end(&chain, result);
}

/* There is one tap, number 0. */
static void emit_first_tap(const struct emit *e, const char *x, int result)
{
    emit(e, result, "Expand", emit_integer(e, 0), emit(e, EMIT_TEMP, "Shape", x, NULL), NULL);
}

/* Taps of this turn, and before them in row-major order those of the turns before: of the items
 * that are the maxima now. */
static const char *join_taps(const struct view *view, int result, const char *maxima,
                             const char *taps, int64_t earlier)
{
    static const int64_t flat[] = {-1};
    const struct emit *e = view->e;
    struct chain chain = {.e = e, .x = number_taps(view, EMIT_TEMP, maxima)};

    taps = emit_reshape_to(e, EMIT_TEMP, view_input(view, taps), flat, 1);
    chain_add(&chain, "Mul", emit_integer(e, earlier));
    chain_add(&chain, "Add", emit(e, EMIT_TEMP, "Gather", taps, maxima, NULL));
    return chain_end(&chain, result);
}

static int64_t taps_of(const struct window *window)
{
    int64_t taps = 1;

    for (int i = 0; i < window->rank; i++)
        taps *= window->dim[i].size;
    return taps;
}

/* Three dimensions at a time, the last ones first: of equal items the first tap is the maximum. */
static void take_indexed_turns(struct max_pool *pool, const char *x, const struct window *window,
                               const int result[2])
{
    struct window rest = *window, turn;
    const char *taps = NULL;
    int64_t earlier = 1;

    while (window_turn(&rest, &turn)) {
        struct view view = view_of(pool->e, &turn);
        bool last = window_sliding(&rest) == 0;
        int value = last ? result[0] : EMIT_TEMP, index = last ? result[1] : EMIT_TEMP;
        x = slide_max(pool, &view, view_result(&view, value), view_input(&view, x));
        if (!last || value != EMIT_TEMP)
            x = view_leave(&view, value, x);
        int seen = view_result(&view, index);
        taps = taps ? join_taps(&view, seen, pool->index, taps, earlier)
                    : number_taps(&view, seen, pool->index);
        taps = view_leave(&view, index, taps);
        earlier *= taps_of(&turn);
    }
}

/* Maxima become result `value` unless that is EMIT_TEMP, their indices result `index`. */
static bool emit_indexed(const struct emit *e, int value, int index)
{
    struct window window = emit_window(e, false);
    struct max_pool pool = {.e = e, .indexed = true};
    const char *x = emit_border(e, emit_in_rank(e, 0, window.rank), 0, &window);

    if (window_is_padded(&window) &&
        (window.border == BORDER_CONSTANT || !window_pads_fit(&window)))
        x = fill_border(e, x, &window);
    if (window_sliding(&window) > 0) {
        take_indexed_turns(&pool, x, &window, (int[]){value, index});
        return true;
    }
    if (value != EMIT_TEMP)
        emit(e, value, "Identity", x, NULL);
    emit_first_tap(e, x, index);
    return true;
}

static bool argmax_pool_to_onnx(const struct emit *e)
{
    return emit_indexed(e, EMIT_TEMP, 0);
}

static bool max_pool_with_index_to_onnx(const struct emit *e)
{
    return emit_indexed(e, 0, 1);
}

/* --- sample in ONNX ---------------------------------------------------------------------- */

static const char *sample_view(const struct view *view, int result, const char *x,
                               const char *index)
{
    const struct emit *e = view->e;
    struct shape shape = {.rank = 2, .extent = {0, 0}};
    int64_t room[MAX_RANK], shift[MAX_RANK] = {0};

    for (int i = 0; i < view->window.rank; i++) {
        room[i] = view->window.dim[i].in;
        shape.extent[shape.rank++] = view->window.dim[i].out;
    }
    index = emit_places(view, index, room, shift);
    x = emit(e, EMIT_TEMP, "GatherElements", emit_flat(e, x), emit_flat(e, index), NULL);
    emit_attr_int(e, "axis", 2);
    return emit_reshape(e, result, x, &shape);
}

static bool sample_to_onnx(const struct emit *e)
{
    struct window window = emit_window(e, false);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);

    x = emit_border(e, x, 0, &window);
    x = emit_filled(e, x, &window, 0);
    if (!emit_check_sliding(e, &window, MOVED))
        return false;
    if (window_sliding(&window) == 0) {
        emit(e, 0, "Identity", x, NULL);
        return true;
    }
    struct view view = view_of(e, &window);
    x = sample_view(&view, view_result(&view, 0), view_input(&view, x), view_output(&view, index));
    view_leave(&view, 0, x);
    return true;
}

/* --- descriptors ------------------------------------------------------------------------ */

const struct op_desc op_argmax_pool = {
    .name = "argmax_pool",
    .attrs = pool_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .result = {OP_RESULT_INTEGER},
    .infer = argmax_pool_infer,
    .eval = argmax_pool_eval,
    .to_onnx = argmax_pool_to_onnx,
};

const struct op_desc op_sample = {
    .name = "sample",
    .attrs = pool_fields,
    .attrs_size = sizeof(struct window_attrs),
    .infer = sample_infer,
    .eval = sample_eval,
    .to_onnx = sample_to_onnx,
};

const struct op_desc op_max_pool_with_index = {
    .name = "max_pool_with_index",
    .kind = "pool",
    .attrs = pool_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .result = {OP_RESULT_SCALAR, OP_RESULT_INTEGER},
    .nresult = 2,
    .infer = max_pool_infer,
    .eval = max_pool_with_index_eval,
    .to_onnx = max_pool_with_index_to_onnx,
};

const struct op_desc op_max_pool = {
    .name = "max_pool",
    .kind = "pool",
    .attrs = pool_fields,
    .attrs_size = sizeof(struct window_attrs),
    .traits = OP_PARTIAL,
    .infer = max_pool_infer,
    .eval = max_pool_eval,
    .to_onnx = max_pool_to_onnx,
};
