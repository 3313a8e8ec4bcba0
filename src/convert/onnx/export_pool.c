/*
 * export_pool.c - maxima of sliding windows, their indices, and what these address (sections 4.3.3
 * and 4.9.3)
 */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include <float.h>

/* --- maxima ------------------------------------------------------------------------------ */

/*
 * MaxPool leaves out what it pads.  ONNX Runtime merges it with a Pad of zeros before it as if
 * that were the same, unless its indices are asked for, too.
 */
struct max_pool {
    const struct emit *e;
    bool indexed; /* ask for indices */
    const char *index;
};

static const char *slide_max(struct max_pool *pool, const struct window_view *view, int result,
                             const char *x)
{
    const char *y = emit(pool->e, result, "MaxPool", x, NULL);

    emit_window_attrs(pool->e, &view->window);
    if (pool->indexed)
        pool->index = emit_also(pool->e, EMIT_TEMP);
    return y;
}

/* Three dimensions at a time: maxima of maxima. */
static const char *max_turns(struct max_pool *pool, int result, const char *x,
                             const struct window *window)
{
    struct window rest = *window, turn;

    if (window_sliding(window) == 0)
        return emit(pool->e, result, "Identity", x, NULL);
    while (window_turn(&rest, &turn)) {
        struct window_view view = view_of(pool->e, &turn);
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

    return max_turns(&pool, result, x, window);
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
    while (value->kind == VALUE_RESULT && value->producer->op == op_table[OP_copy])
        value = value->producer->in[0].value;
    return value->kind == VALUE_RESULT && value->producer->op == op_table[OP_pad];
}

/* Put all padding around `x`: zeros, or with 'ignore' what no item is less than. */
static const char *fill_border(const struct emit *e, const char *x, struct window *window)
{
    return emit_filled(e, x, window, window->border == BORDER_IGNORE ? -(double)FLT_MAX : 0);
}

bool export_max_pool(const struct emit *e)
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
    x = max_turns(&pool, zeros ? EMIT_TEMP : 0, x, &window);
    if (zeros)
        compete_with_zeros(e, x, &window);
    return true;
}

/* --- their indices ----------------------------------------------------------------------- */

/* The tap of one dimension that reads item `index` of a tensor. */
static const char *tap_reading(const struct window_view *view, const char *index, int axis)
{
    const struct emit *e = view->e;
    const struct window_dim *dim = &view->window.dim[axis];
    struct emit_chain chain = {.e = e, .x = index};
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
static const char *number_taps(const struct window_view *view, int result, const char *index)
{
    const struct emit *e = view->e;
    struct emit_chain chain = {.e = e};

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
static const char *join_taps(const struct window_view *view, int result, const char *maxima,
                             const char *taps, int64_t earlier)
{
    static const int64_t flat[] = {-1};
    const struct emit *e = view->e;
    struct emit_chain chain = {.e = e, .x = number_taps(view, EMIT_TEMP, maxima)};

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
        struct window_view view = view_of(pool->e, &turn);
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

bool export_argmax_pool(const struct emit *e)
{
    return emit_indexed(e, EMIT_TEMP, 0);
}

bool export_max_pool_with_index(const struct emit *e)
{
    return emit_indexed(e, 0, 1);
}

/* --- sample ------------------------------------------------------------------------------ */

static const char *sample_view(const struct window_view *view, int result, const char *x,
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

bool export_sample(const struct emit *e)
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
    struct window_view view = view_of(e, &window);
    x = sample_view(&view, view_result(&view, 0), view_input(&view, x), view_output(&view, index));
    view_leave(&view, 0, x);
    return true;
}

/* --- desample ---------------------------------------------------------------------------- */

/* Zeros with batch and channels of `x` and `count` items in each. */
static const char *emit_empty(const struct emit *e, const char *x, int64_t count)
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
struct scatter_reach {
    int rank;
    int64_t extent[MAX_RANK], shift[MAX_RANK], begin[MAX_RANK], end[MAX_RANK];
    int64_t volume;
};

static struct scatter_reach scatter_reach_of(const struct window *window)
{
    struct scatter_reach reach = {.rank = window->rank, .volume = 1};

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t spread = window_full(dim);
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
static const char *scatter_items(const struct window_view *view, int result, const char *x,
                                 const char *index)
{
    static const int64_t axes[MOVED] = {2, 3, 4, 5, 6, 7};
    const struct emit *e = view->e;
    struct scatter_reach reach = scatter_reach_of(&view->window);
    const struct emit_range at = {reach.rank, axes, reach.begin, reach.end, NULL};
    struct shape shape = {.rank = 2, .extent = {0, 0}};

    for (int i = 0; i < reach.rank; i++)
        shape.extent[shape.rank++] = reach.extent[i];
    index = emit_places(view, index, reach.extent, reach.shift);
    x = emit(e, EMIT_TEMP, "ScatterElements", emit_empty(e, x, reach.volume), emit_flat(e, index),
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
        dim->out = window_full(dim);
        dim->before = dim->after = 0;
        padding->amount[2 + i][0] = -before;
        padding->amount[2 + i][1] = out + before - dim->out;
    }
    return full;
}

/* Before ScatterElements could add: what belongs to each tap becomes a channel of its own. */
static const char *spread_taps(const struct window_view *view, int result, const char *x,
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

bool export_desample(const struct emit *e)
{
    struct window window = emit_window(e, true);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);

    if (!emit_check_sliding(e, &window, MOVED))
        return false;
    if (window_sliding(&window) == 0) {
        emit(e, 0, "Identity", x, NULL);
        return true;
    }
    struct window_view view = view_of(e, &window);
    x = view_input(&view, x);
    index = view_input(&view, index);
    x = (e->opset >= 16 ? scatter_items : spread_taps)(&view, view_result(&view, 0), x, index);
    view_leave(&view, 0, x);
    return true;
}
