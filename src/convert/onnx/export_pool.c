/*
 * export_pool.c - maxima of sliding windows, their indices, and the operations that read such
 * indices (NNEF 1.0.5, sections 4.3.3 and 4.9.3)
 *
 * An index of NNEF is the number of a tap of the window, in row-major order. An index of ONNX is
 * that of an item of the input.
 */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include <assert.h>
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

/* One MaxPool, and its indices if they are asked for. */
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

/*
 * The zeros of border 'constant' are a maximum only where the window overlaps them: for each padded
 * dimension a vector, which is 0 there and less than anything elsewhere.
 */
static void compete_with_zeros(const struct emit *e, const char *y, const struct window *window)
{
    const char *in[MAX_RANK + 1] = {y};
    int count = 1;

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        if (dim->before <= 0 && dim->after <= 0)
            continue;
        float *items = emit_room(e, dim->out, sizeof *items);
        for (int64_t o = 0; o < dim->out; o++) {
            int64_t first = o * dim->stride - dim->before;
            int64_t last = first + (dim->size - 1) * dim->dilation;
            items[o] = first < 0 || last >= dim->in ? 0 : -FLT_MAX;
        }
        in[count++] = emit_along(e, items, dim->out, window->rank - 1 - i);
    }
    emit_list(e, 0, "Max", in, count);
}

static bool window_is_padded(const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before != 0 || window->dim[i].after != 0)
            return true;
    return false;
}

/* Puts all padding around `x`: zeros, or with 'ignore' what no item is less than. */
static const char *fill_border(const struct emit *e, const char *x, struct window *window)
{
    return emit_filled(e, x, window, window->border == BORDER_IGNORE ? -(double)FLT_MAX : 0);
}

bool export_max_pool(const struct emit *e)
{
    const struct value *from = e->node->in[0].value;
    struct window window = emit_window(e, false);
    struct max_pool pool = {.e = e};

    /* Copies vanish before ONNX Runtime looks for pads. */
    while (from->kind == VALUE_RESULT && from->producer->op == op_table[OP_copy])
        from = from->producer->in[0].value;
    pool.indexed = from->kind == VALUE_RESULT && from->producer->op == op_table[OP_pad];
    for (int i = 0; i < window.rank; i++)
        pool.indexed |= window.dim[i].before < 0 || window.dim[i].after < 0;

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

/* ONNX numbers the items of the input, NNEF the taps of the window. */
static const char *number_taps(const struct window_view *view, int result, const char *index)
{
    const struct emit *e = view->e;
    const struct window *window = &view->window;
    struct emit_chain chain = {.e = e};

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        struct emit_chain tap = {.e = e, .x = index}; /* of this dimension */
        int64_t pitch = 1;
        if (dim->size == 1)
            continue;
        for (int k = i + 1; k < window->rank; k++)
            pitch *= window->dim[k].in;
        if (pitch > 1)
            chain_add(&tap, "Div", emit_integer(e, pitch));
        chain_add(&tap, "Mod", emit_integer(e, dim->in));
        chain_add(&tap, "Sub",
                  emit_steps(e, -dim->before, dim->stride, dim->out, window->rank - 1 - i));
        if (dim->dilation > 1)
            chain_add(&tap, "Div", emit_integer(e, dim->dilation));
        const char *number = chain_end(&tap, EMIT_TEMP);
        if (!chain.x) {
            chain.x = number;
            continue;
        }
        chain_add(&chain, "Mul", emit_integer(e, dim->size));
        chain_add(&chain, "Add", number);
    }
    if (!chain.x) {
        chain.x = index;
        chain_add(&chain, "Mul", emit_integer(e, 0));
    }
    return chain_end(&chain, result);
}

/* Three dimensions at a time, the last ones first: of equal items the first tap is the maximum. */
static void take_indexed_turns(struct max_pool *pool, const char *x, const struct window *window,
                               const int result[2])
{
    static const int64_t flat[] = {-1};
    const struct emit *e = pool->e;
    struct window rest = *window, turn;
    const char *taps = NULL;
    int64_t earlier = 1; /* taps of the turns before */

    assert(pool->indexed);
    while (window_turn(&rest, &turn)) {
        struct window_view view = view_of(e, &turn);
        bool last = window_sliding(&rest) == 0;
        int value = last ? result[0] : EMIT_TEMP, index = last ? result[1] : EMIT_TEMP;
        x = slide_max(pool, &view, view_result(&view, value), view_input(&view, x));
        if (!last || value != EMIT_TEMP)
            x = view_leave(&view, value, x);
        int seen = view_result(&view, index);
        if (!taps) {
            taps = number_taps(&view, seen, pool->index);
        } else {
            /* Before the taps of this turn go those of the items that are the maxima now. */
            struct emit_chain chain = {.e = e, .x = number_taps(&view, EMIT_TEMP, pool->index)};
            taps = emit_reshape_to(e, EMIT_TEMP, view_input(&view, taps), flat, 1);
            chain_add(&chain, "Mul", emit_integer(e, earlier));
            chain_add(&chain, "Add", emit(e, EMIT_TEMP, "Gather", taps, pool->index, NULL));
            taps = chain_end(&chain, seen);
        }
        taps = view_leave(&view, index, taps);
        for (int i = 0; i < turn.rank; i++)
            earlier *= turn.dim[i].size;
    }
}

/* argmax_pool has the indices only; max_pool_with_index has the maxima, and then the indices. */
bool export_indexed_pool(const struct emit *e)
{
    bool both = e->node->op->id == OP_max_pool_with_index;
    int value = both ? 0 : EMIT_TEMP, index = both ? 1 : 0;
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
    if (both)
        emit(e, value, "Identity", x, NULL);
    /* There is one tap, number 0. */
    emit(e, index, "Expand", emit_integer(e, 0), emit(e, EMIT_TEMP, "Shape", x, NULL), NULL);
    return true;
}

/* --- places of taps ---------------------------------------------------------------------- */

/* Items from one coordinate of a dimension to the next. */
static int64_t pitch_of(const int64_t *room, int rank, int axis)
{
    int64_t pitch = 1;

    for (int i = axis + 1; i < rank; i++)
        pitch *= room[i];
    return pitch;
}

/*
 * Where in a tensor of extents `room` behind batch and channel lies what tap `index` of the window
 * reaches: at coordinate o * stride + k * dilation + shift of each dimension, in row-major order.
 * The coordinates o are those of `index`: of the result, or of the input of a reverse window.
 */
static const char *emit_places(const struct window_view *view, const char *index,
                               const int64_t *room, const int64_t *shift)
{
    const struct emit *e = view->e;
    const struct window *window = &view->window;
    struct emit_chain sum = {.e = e};

    /* The number of a tap, in row-major order, as a tap of each dimension. */
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t before = 1, behind = 1, unit = dim->dilation * pitch_of(room, window->rank, i);
        struct emit_chain tap = {.e = e, .x = index};
        if (dim->size == 1)
            continue;
        for (int k = 0; k < window->rank; k++)
            *(k < i ? &before : &behind) *= k == i ? 1 : window->dim[k].size;
        if (behind > 1)
            chain_add(&tap, "Div", emit_integer(e, behind));
        if (before > 1)
            chain_add(&tap, "Mod", emit_integer(e, dim->size));
        if (unit > 1)
            chain_add(&tap, "Mul", emit_integer(e, unit));
        const char *part = tap.type ? chain_end(&tap, EMIT_TEMP) : index;
        if (sum.x)
            chain_add(&sum, "Add", part);
        else
            sum.x = part;
    }
    if (!sum.x)
        sum.x = index;

    /* The items that the windows begin at. */
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t pitch = pitch_of(room, window->rank, i);
        int64_t count = window->reverse ? dim->in : dim->out;
        chain_add(
            &sum, "Add",
            emit_steps(e, shift[i] * pitch, dim->stride * pitch, count, window->rank - 1 - i));
    }
    return chain_end(&sum, EMIT_TEMP);
}

/* Refuses a window that slides along more dimensions than a view has. */
static bool emit_check_sliding(const struct emit *e, const struct window *window)
{
    int count = window_sliding(window);

    return count <= MOVED ||
           emit_refuse(e, "the window of '%s' slides along %d dimensions, expected at most %d",
                       e->node->op->name, count, MOVED);
}

/* The dimensions behind batch and channel as one. */
static const char *emit_flat(const struct emit *e, const char *x)
{
    static const int64_t flat[] = {0, 0, -1};

    return emit(e, EMIT_TEMP, "Reshape", x, emit_vector(e, flat, 3), NULL);
}

/* --- sample ------------------------------------------------------------------------------ */

/* Items by the numbers of their taps, one of each window (section 4.3.3). */
bool export_sample(const struct emit *e)
{
    struct window window = emit_window(e, false);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);
    struct shape shape = {.rank = 2, .extent = {0, 0}}; /* of the view: batch and channels stay */
    int64_t room[MAX_RANK], shift[MAX_RANK] = {0};

    x = emit_border(e, x, 0, &window);
    x = emit_filled(e, x, &window, 0);
    if (!emit_check_sliding(e, &window))
        return false;
    if (window_sliding(&window) == 0) {
        emit(e, 0, "Identity", x, NULL);
        return true;
    }
    struct window_view view = view_of(e, &window);
    index = view_output(&view, index);
    x = view_input(&view, x);
    for (int i = 0; i < view.window.rank; i++) {
        room[i] = view.window.dim[i].in;
        shape.extent[shape.rank++] = view.window.dim[i].out;
    }
    index = emit_places(&view, index, room, shift);
    x = emit(e, EMIT_TEMP, "GatherElements", emit_flat(e, x), emit_flat(e, index), NULL);
    emit_attr_int(e, "axis", 2);
    x = emit_reshape(e, view_result(&view, 0), x, &shape);
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

/* Adds each item to a zero at the place of its tap, and cuts off what lies outside the result. */
static const char *scatter_items(const struct window_view *view, int result, const char *x,
                                 const char *index)
{
    static const int64_t axes[MOVED] = {2, 3, 4, 5, 6, 7};
    const struct emit *e = view->e;
    const struct window *window = &view->window;
    int64_t extent[MAX_RANK], shift[MAX_RANK], begin[MAX_RANK], end[MAX_RANK], volume = 1;
    const struct emit_range at = {window->rank, axes, begin, end, NULL};
    struct shape shape = {.rank = 2, .extent = {0, 0}};

    /* Room for the result and for what the taps reach beyond it. */
    assert(window->rank <= MOVED);
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        shift[i] = dim->before < 0 ? -dim->before : 0;
        begin[i] = dim->before < 0 ? 0 : dim->before;
        end[i] = begin[i] + dim->out;
        extent[i] = window_full(dim) + shift[i];
        if (extent[i] < end[i])
            extent[i] = end[i];
        shape.extent[shape.rank++] = extent[i];
        volume *= extent[i];
    }
    index = emit_places(view, index, extent, shift);
    x = emit(e, EMIT_TEMP, "ScatterElements", emit_empty(e, x, volume), emit_flat(e, index),
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

/*
 * Before opset 16 ScatterElements cannot add. So the items of each tap become a channel of their
 * own, and a transposed convolution puts them together: without padding first, of which its result
 * then has too much or lacks some.
 */
static const char *spread_taps(const struct window_view *view, int result, const char *x,
                               const char *index)
{
    const struct emit *e = view->e;
    struct window window = view->window;
    struct emit_padding padding = {.shape = {.rank = 2 + window.rank}};
    struct shape in = {.rank = 2, .extent = {-1, 1}};
    struct shape out = {.rank = 2, .extent = {-1, view_channels(view)}};
    int64_t taps = 1;

    for (int i = 0; i < window.rank; i++) {
        struct window_dim *dim = &window.dim[i];
        in.extent[in.rank++] = dim->in;
        out.extent[out.rank++] = dim->out;
        taps *= dim->size;
        padding.amount[2 + i][0] = -dim->before;
        padding.amount[2 + i][1] = dim->out + dim->before - window_full(dim);
        dim->out = window_full(dim);
        dim->before = dim->after = 0;
    }
    index = emit_reshape(e, EMIT_TEMP, index, &in);
    x = emit_reshape(e, EMIT_TEMP, x, &in);
    index = emit(e, EMIT_TEMP, "Equal", index, emit_steps(e, 0, 1, taps, window.rank), NULL);
    x = emit(e, EMIT_TEMP, "Where", index, x, emit_scalar(e, 0), NULL);
    x = emit(e, EMIT_TEMP, "ConvTranspose", x, emit_one_hot(e, &window), NULL);
    emit_window_attrs(e, &window);
    return emit_reshape(e, result, emit_pad(e, EMIT_TEMP, x, &padding), &out);
}

/* The reverse of export_sample(): items of one place are added. */
bool export_desample(const struct emit *e)
{
    struct window window = emit_window(e, true);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);

    if (!emit_check_sliding(e, &window))
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
