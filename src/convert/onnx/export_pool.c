/*
 * export_pool.c - maxima of sliding windows, their indices, and the operations that read such
 * indices (NNEF 1.0.5, sections 4.3.3 and 4.9.3)
 *
 * An index of NNEF is the number of a tap of the window, in row-major order. An index of ONNX is
 * that of an item of the input.
 */
#include "convert/onnx/export_out.h"
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
static const char *slide_max(struct max_pool *pool, const struct window_view *view, const char *x)
{
    const char *y = emit(pool->e, "MaxPool", view_input(view, x), NULL);

    emit_window_attrs(pool->e, &view->window);
    if (pool->indexed)
        pool->index = emit_also(pool->e);
    return y;
}

/* Three dimensions at a time: maxima of maxima. */
static const char *max_turns(struct max_pool *pool, const char *x, const struct window *window)
{
    struct window rest = *window, turn;

    while (window_turn(&rest, &turn)) {
        struct window_view view = view_of(pool->e, &turn);
        x = view_leave(&view, slide_max(pool, &view, x));
    }
    return x;
}

const char *emit_maxima(const struct emit *e, const char *x, const struct window *window)
{
    return max_turns(&(struct max_pool){.e = e}, x, window);
}

/*
 * The zeros of border 'constant' are a maximum only where the window overlaps them: for each padded
 * dimension a vector, which is 0 there and less than anything elsewhere.
 */
static const char *compete_with_zeros(const struct emit *e, const char *y,
                                      const struct window *window)
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
    return emit_list(e, "Max", in, count);
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

const char *export_max_pool(const struct emit *e)
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
    x = max_turns(&pool, x, &window);
    return zeros ? compete_with_zeros(e, x, &window) : x;
}

/* --- their indices ----------------------------------------------------------------------- */

/* ONNX numbers the items of the input, NNEF the taps of the window. */
static const char *number_taps(const struct window_view *view, const char *index)
{
    const struct emit *e = view->e;
    const struct window *window = &view->window;
    const char *taps = NULL;

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        const char *tap = index; /* of this dimension */
        int64_t pitch = 1;
        if (dim->size == 1)
            continue;
        for (int k = i + 1; k < window->rank; k++)
            pitch *= window->dim[k].in;
        if (pitch > 1)
            tap = emit(e, "Div", tap, emit_integer(e, pitch), NULL);
        tap = emit(e, "Mod", tap, emit_integer(e, dim->in), NULL);
        tap = emit(e, "Sub", tap,
                   emit_steps(e, -dim->before, dim->stride, dim->out, window->rank - 1 - i), NULL);
        if (dim->dilation > 1)
            tap = emit(e, "Div", tap, emit_integer(e, dim->dilation), NULL);
        if (taps)
            taps = emit(e, "Mul", taps, emit_integer(e, dim->size), NULL);
        taps = taps ? emit(e, "Add", taps, tap, NULL) : tap;
    }
    return taps ? taps : emit(e, "Mul", index, emit_integer(e, 0), NULL);
}

/*
 * Three dimensions at a time, the last ones first: of equal items the first tap is the maximum.
 * Returns the indices; *x becomes the maxima, result 0 if there are two.
 */
static const char *take_indexed_turns(struct max_pool *pool, const char **x,
                                      const struct window *window)
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
        *x = slide_max(pool, &view, *x);
        if (!last || e->node->nout > 1)
            *x = view_leave(&view, *x);
        if (last && e->node->nout > 1)
            *x = onnx_out_result(e->out, 0, *x);
        const char *behind = taps; /* within the items that are the maxima now */
        taps = number_taps(&view, pool->index);
        if (behind) {
            behind = emit_reshape_to(e, view_input(&view, behind), flat, 1);
            behind = emit(e, "Gather", behind, pool->index, NULL);
            taps = emit(e, "Mul", taps, emit_integer(e, earlier), NULL);
            taps = emit(e, "Add", taps, behind, NULL);
        }
        taps = view_leave(&view, taps);
        for (int i = 0; i < turn.rank; i++)
            earlier *= turn.dim[i].size;
    }
    return taps;
}

/* argmax_pool has the indices only; max_pool_with_index has the maxima, and then the indices. */
const char *export_indexed_pool(const struct emit *e)
{
    bool both = e->node->op->id == OP_max_pool_with_index;
    struct window window = emit_window(e, false);
    struct max_pool pool = {.e = e, .indexed = true};
    const char *x = emit_border(e, emit_in_rank(e, 0, window.rank), 0, &window), *index;

    if (window_is_padded(&window) &&
        (window.border == BORDER_CONSTANT || !window_pads_fit(&window)))
        x = fill_border(e, x, &window);
    if (window_sliding(&window) > 0) {
        index = take_indexed_turns(&pool, &x, &window);
    } else { /* there is one tap, number 0 */
        x = both ? onnx_out_result(e->out, 0, x) : x;
        index = emit(e, "Expand", emit_integer(e, 0), emit(e, "Shape", x, NULL), NULL);
    }
    if (!both)
        return index;
    onnx_out_result(e->out, 1, index);
    return x;
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
    const char *sum = NULL;

    /* The number of a tap, in row-major order, as a tap of each dimension. */
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t before = 1, behind = 1, unit = dim->dilation * pitch_of(room, window->rank, i);
        const char *tap = index;
        if (dim->size == 1)
            continue;
        for (int k = 0; k < window->rank; k++)
            *(k < i ? &before : &behind) *= k == i ? 1 : window->dim[k].size;
        if (behind > 1)
            tap = emit(e, "Div", tap, emit_integer(e, behind), NULL);
        if (before > 1)
            tap = emit(e, "Mod", tap, emit_integer(e, dim->size), NULL);
        if (unit > 1)
            tap = emit(e, "Mul", tap, emit_integer(e, unit), NULL);
        sum = sum ? emit(e, "Add", sum, tap, NULL) : tap;
    }
    if (!sum)
        sum = index;

    /* The items that the windows begin at. */
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t pitch = pitch_of(room, window->rank, i);
        int64_t count = window->reverse ? dim->in : dim->out;
        const char *begin =
            emit_steps(e, shift[i] * pitch, dim->stride * pitch, count, window->rank - 1 - i);
        sum = emit(e, "Add", sum, begin, NULL);
    }
    return sum;
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

    return emit(e, "Reshape", x, emit_vector(e, flat, 3), NULL);
}

/* --- sample ------------------------------------------------------------------------------ */

/* Items by the numbers of their taps, one of each window (section 4.3.3). */
const char *export_sample(const struct emit *e)
{
    struct window window = emit_window(e, false);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);
    struct shape shape = {.rank = 2, .extent = {0, 0}}; /* of the view: batch and channels stay */
    int64_t room[MAX_RANK], shift[MAX_RANK] = {0};

    x = emit_border(e, x, 0, &window);
    x = emit_filled(e, x, &window, 0);
    if (!emit_check_sliding(e, &window))
        return NULL;
    if (window_sliding(&window) == 0)
        return x;
    struct window_view view = view_of(e, &window);
    index = view_output(&view, index);
    x = view_input(&view, x);
    for (int i = 0; i < view.window.rank; i++) {
        room[i] = view.window.dim[i].in;
        shape.extent[shape.rank++] = view.window.dim[i].out;
    }
    index = emit_places(&view, index, room, shift);
    x = emit(e, "GatherElements", emit_flat(e, x), emit_flat(e, index), NULL);
    emit_attr_int(e, "axis", 2);
    return view_leave(&view, emit_reshape(e, x, &shape));
}

/* --- desample ---------------------------------------------------------------------------- */

/* Zeros with batch and channels of `x` and `count` items in each. */
static const char *emit_empty(const struct emit *e, const char *x, int64_t count)
{
    static const int64_t axes[] = {0}, begin[] = {0}, end[] = {2};
    const struct emit_range at = {1, axes, begin, end, NULL};
    const char *shape = emit(e, "Shape", x, NULL);

    shape = emit_slice(e, shape, &at);
    shape = emit(e, "Concat", shape, emit_vector(e, &count, 1), NULL);
    emit_attr_int(e, "axis", 0);
    return emit(e, "ConstantOfShape", shape, NULL);
}

/* Adds each item to a zero at the place of its tap, and cuts off what lies outside the result. */
static const char *scatter_items(const struct window_view *view, const char *x, const char *index)
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
    x = emit(e, "ScatterElements", emit_empty(e, x, volume), emit_flat(e, index), emit_flat(e, x),
             NULL);
    emit_attr_int(e, "axis", 2);
    emit_attr_string(e, "reduction", "add");
    x = emit_reshape(e, x, &shape);
    return emit_slice(e, x, &at);
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
static const char *spread_taps(const struct window_view *view, const char *x, const char *index)
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
    index = emit_reshape(e, index, &in);
    x = emit_reshape(e, x, &in);
    index = emit(e, "Equal", index, emit_steps(e, 0, 1, taps, window.rank), NULL);
    x = emit(e, "Where", index, x, emit_scalar(e, 0), NULL);
    x = emit(e, "ConvTranspose", x, emit_one_hot(e, &window), NULL);
    emit_window_attrs(e, &window);
    return emit_reshape(e, emit_pad(e, x, &padding), &out);
}

/* The reverse of export_sample(): items of one place are added. */
const char *export_desample(const struct emit *e)
{
    struct window window = emit_window(e, true);
    const char *x = emit_in_rank(e, 0, window.rank), *index = emit_in_rank(e, 1, window.rank);

    if (!emit_check_sliding(e, &window))
        return NULL;
    if (window_sliding(&window) == 0)
        return x;
    struct window_view view = view_of(e, &window);
    x = view_input(&view, x);
    index = view_input(&view, index);
    x = (e->opset >= 16 ? scatter_items : spread_taps)(&view, x, index);
    return view_leave(&view, x);
}
