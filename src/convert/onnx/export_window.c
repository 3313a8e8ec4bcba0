/* export_window.c - windows of NNEF as those of ONNX, and the items around their input */
#include "convert/onnx/export_window.h"

#include "base/num.h"
#include "op/check.h"

#include <assert.h>

/* --- geometry ---------------------------------------------------------------------------- */

struct window emit_window_of(const struct emit *e, const struct window_source *source)
{
    for (int i = source->first; i < source->rank; i++)
        if (window_rounds(source, i))
            emit_goes_by_rest(e, i, integers_at(&source->attrs->stride, i - source->first));
    return window_of(source, emit_result_shape(e, 0));
}

struct window emit_window(const struct emit *e, bool reverse)
{
    struct window_source source = {.attrs = e->attrs,
                                   .input = emit_shape(e, 0),
                                   .rank = emit_result_shape(e, 0)->rank,
                                   .reverse = reverse};

    return emit_window_of(e, &source);
}

/* Does the window more than stand still along that dimension? */
static bool slides(const struct window_dim *dim)
{
    return dim->size != 1 || dim->stride != 1 || dim->before != 0 || dim->after != 0;
}

int window_sliding(const struct window *window)
{
    int count = 0;

    for (int i = 0; i < window->rank; i++)
        count += slides(&window->dim[i]);
    return count;
}

bool window_pads_fit(const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before >= window->dim[i].size ||
            window->dim[i].after >= window->dim[i].size)
            return false;
    return true;
}

/* A window of one item at each item. */
static struct window_dim standing_still(int64_t extent)
{
    return (struct window_dim){.in = extent, .out = extent, .size = 1, .stride = 1, .dilation = 1};
}

/* A dimension that was taken stands still in *rest, at the extent that the turn gives it. */
bool window_turn(struct window *rest, struct window *turn)
{
    int count = 0;

    assert(rest->rank <= MAX_RANK);
    *turn = *rest;
    for (int i = rest->rank - 1; i >= 0; i--) {
        struct window_dim *dim = &rest->dim[i];
        if (!slides(dim) || count == TURN) {
            turn->dim[i] = standing_still(dim->in);
        } else {
            *dim = standing_still(dim->out);
            count++;
        }
    }
    return count > 0;
}

/* --- padding ----------------------------------------------------------------------------- */

static const char *const pad_modes[] = {
    [BORDER_CONSTANT] = "constant", [BORDER_REPLICATE] = "edge",  [BORDER_REFLECT] = "reflect",
    [BORDER_REFLECT_EVEN] = NULL,   [BORDER_IGNORE] = "constant",
};

/* Items around the input come from the input. */
static bool is_filled(enum border border)
{
    return border != BORDER_CONSTANT && border != BORDER_IGNORE;
}

/* ONNX has no such mode of padding: one dimension after the other picks its items by number. */
static const char *pad_all_by_gather(const struct emit *e, const char *x,
                                     const struct emit_padding *padding)
{
    for (int axis = 0; axis < padding->shape.rank; axis++) {
        int64_t extent = padding->shape.extent[axis], before = padding->amount[axis][0];
        int64_t count = before + extent + padding->amount[axis][1];
        if (before == 0 && count == extent)
            continue;
        assert(count > 0);
        int64_t *from = emit_room(e, count, sizeof *from);
        for (int64_t i = 0; i < count; i++) {
            from[i] = i - before;
            if (from[i] < 0 || from[i] >= extent)
                from[i] = border_index(padding->border, from[i], extent);
        }
        const char *items = emit_integers(e, &(struct shape){.rank = 1, .extent = {count}}, from);
        x = emit(e, "Gather", x, items, NULL);
        emit_attr_int(e, "axis", axis);
    }
    return x;
}

/* Adds the positive amounts only. */
static const char *pad_widen(const struct emit *e, const char *x,
                             const struct emit_padding *padding)
{
    int rank = padding->shape.rank;
    int64_t pads[2 * MAX_RANK];

    for (int i = 0; i < rank; i++)
        for (int side = 0; side < 2; side++) {
            int64_t amount = padding->amount[i][side];
            pads[side * rank + i] = amount > 0 ? amount : 0;
        }
    const char *amounts = emit_vector(e, pads, 2 * rank);
    const char *y = is_filled(padding->border)
                        ? emit(e, "Pad", x, amounts, NULL)
                        : emit(e, "Pad", x, amounts, emit_scalar(e, padding->value), NULL);
    emit_attr_string(e, "mode", pad_modes[padding->border]);
    return y;
}

/* An item that is cut off may be one that was added on the other side. */
const char *emit_pad(const struct emit *e, const char *x, const struct emit_padding *padding)
{
    int64_t axes[MAX_RANK], begin[MAX_RANK], end[MAX_RANK];
    struct emit_range at = {0, axes, begin, end, NULL}; /* what is left if there is less */
    bool more = false;

    assert(padding->shape.rank >= 0 && padding->shape.rank <= MAX_RANK);
    for (int i = 0; i < padding->shape.rank; i++) {
        int64_t before = padding->amount[i][0], after = padding->amount[i][1];
        more |= before > 0 || after > 0;
        if (before >= 0 && after >= 0)
            continue;
        axes[at.count] = i;
        begin[at.count] = before < 0 ? -before : 0;
        end[at.count++] = after < 0 ? after : INT64_MAX;
    }
    if (more && padding->border == BORDER_REFLECT_EVEN)
        return pad_all_by_gather(e, x, padding);
    return emit_slice(e, more ? pad_widen(e, x, padding) : x, &at);
}

/* Pads dimensions `first` and on; the extents of the window's input become those of the result. */
static const char *pad_window(const struct emit *e, const char *x, int first, struct window *window,
                              struct emit_padding *padding)
{
    bool some = false;

    assert(first + window->rank <= MAX_RANK);
    padding->shape = (struct shape){.rank = first + window->rank};
    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        const int64_t *amount = padding->amount[first + i];
        padding->shape.extent[first + i] = dim->in;
        some |= amount[0] != 0 || amount[1] != 0;
        dim->in += amount[0] + amount[1];
    }
    return some ? emit_pad(e, x, padding) : x;
}

const char *emit_border(const struct emit *e, const char *x, int first, struct window *window)
{
    struct emit_padding padding = {.border = window->border};
    bool filled = is_filled(window->border);

    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        int64_t *amount = padding.amount[first + i];
        int64_t cut[] = {dim->before < 0 ? dim->before : 0, dim->after < 0 ? dim->after : 0};
        if (filled && window->border != BORDER_REPLICATE) {
            /* As far as the border can be reflected, or else as far as the window needs it. */
            int64_t reach = (dim->out - 1) * dim->stride + window_reach(dim);
            int64_t room = window->border == BORDER_REFLECT ? dim->in - 1 : dim->in;
            if (dim->after > room)
                dim->after = reach - dim->before - dim->in;
        }
        /* ONNX pads with zeros itself, unless items are cut off so that nothing is left. */
        bool own = !filled && dim->in + cut[0] + cut[1] > 0;
        amount[0] = own ? cut[0] : dim->before;
        amount[1] = own ? cut[1] : dim->after;
        dim->before -= amount[0];
        dim->after -= amount[1];
    }
    if (filled)
        window->border = BORDER_CONSTANT;
    return pad_window(e, x, first, window, &padding);
}

const char *emit_filled(const struct emit *e, const char *x, struct window *window, double value)
{
    struct emit_padding padding = {.border = BORDER_CONSTANT, .value = value};

    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        padding.amount[i][0] = dim->before;
        padding.amount[i][1] = dim->after;
        dim->before = dim->after = 0;
    }
    return pad_window(e, x, 0, window, &padding);
}

/* --- padding of reverse windows ---------------------------------------------------------- */

/* Items of the full result that padding cuts off behind; negative: those that it lacks. */
static int64_t surplus(const struct window_dim *dim)
{
    return window_full(dim) - dim->before - dim->out;
}

/* Items of the border around the input, or else zeros; padding of the result is less by as much. */
static const char *pad_reverse(const struct emit *e, const char *x, int first,
                               struct window *window, bool filled)
{
    struct emit_padding padding = {.border = filled ? window->border : BORDER_CONSTANT};

    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        int64_t *amount = padding.amount[first + i];
        assert(dim->stride > 0);
        if (filled) { /* from the lowest to the highest coordinate that contributes */
            amount[0] = num_max(-((dim->before + 1 - window_reach(dim)) / dim->stride), 0);
            amount[1] = num_max((dim->out - 1 + dim->before) / dim->stride - (dim->in - 1), 0);
        } else { /* zeros move the result: whole strides make up for negative padding */
            amount[0] = dim->before < 0 ? (-dim->before + dim->stride - 1) / dim->stride : 0;
            amount[1] = num_max(-surplus(dim), 0) / dim->stride;
        }
        dim->before += amount[0] * dim->stride;
    }
    return pad_window(e, x, first, window, &padding);
}

/* First items of a filled border, then zeros; padding that is left cuts off from the result. */
const char *emit_reverse_border(const struct emit *e, const char *x, int first,
                                struct window *window)
{
    if (is_filled(window->border))
        x = pad_reverse(e, x, first, window, true);
    x = pad_reverse(e, x, first, window, false);
    for (int i = 0; i < window->rank; i++)
        window->dim[i].after = num_max(surplus(&window->dim[i]), 0);
    return x;
}

/* --- views ------------------------------------------------------------------------------- */

/* The first `added` of the axes that are put before a tensor's own: a lone one is the batch. */
static const int64_t added_axes[3][2] = {{0}, {1}, {0, 1}};

struct window_view view_of(const struct emit *e, const struct window *turn)
{
    struct window_view view = {.e = e,
                               .window = {.reverse = turn->reverse, .border = turn->border}};
    int still = 0, count = 0; /* dimensions in front that stand still: two at most */

    assert(window_sliding(turn) <= MOVED);
    view.in.rank = view.out.rank = turn->rank;
    for (int i = 0; i < turn->rank; i++) {
        view.in.extent[i] = turn->dim[i].in;
        view.out.extent[i] = turn->dim[i].out;
    }
    while (still < 2 && still < turn->rank && !slides(&turn->dim[still]))
        still++;
    view.folded = turn->rank - still > TURN;
    if (!view.folded) {
        view.added = 2 - still;
        for (int i = still; i < turn->rank; i++)
            view.window.dim[view.window.rank++] = turn->dim[i];
        return view;
    }
    view.added = 1;
    for (int sliding = 0; sliding < 2; sliding++)
        for (int i = 0; i < turn->rank; i++)
            if (slides(&turn->dim[i]) == sliding)
                view.order[count++] = i;
    for (int i = turn->rank - window_sliding(turn); i < turn->rank; i++)
        view.window.dim[view.window.rank++] = turn->dim[view.order[i]];
    return view;
}

/* A tensor of that shape as [batch, channel, ...]. */
static const char *enter_view(const struct window_view *view, const char *x,
                              const struct shape *shape)
{
    struct shape seen = {.rank = 2, .extent = {-1, 1}};

    if (!view->folded)
        return emit_unsqueeze(view->e, x, added_axes[view->added], view->added);
    x = emit_transpose(view->e, x, view->order, shape->rank);
    for (int i = shape->rank - view->window.rank; i < shape->rank; i++)
        seen.extent[seen.rank++] = shape->extent[view->order[i]];
    return emit_reshape(view->e, x, &seen);
}

const char *view_input(const struct window_view *view, const char *x)
{
    return enter_view(view, x, &view->in);
}

const char *view_output(const struct window_view *view, const char *x)
{
    return enter_view(view, x, &view->out);
}

const char *view_leave(const struct window_view *view, const char *y)
{
    struct shape shape = {.rank = view->out.rank};
    int64_t back[MAX_RANK];

    if (!view->folded)
        return emit_squeeze(view->e, y, added_axes[view->added], view->added);
    for (int i = 0; i < shape.rank; i++) {
        shape.extent[i] = view->out.extent[view->order[i]];
        back[view->order[i]] = i;
    }
    if (view->window.rank < shape.rank)
        shape.extent[0] = -1;
    return emit_transpose(view->e, emit_reshape(view->e, y, &shape), back, shape.rank);
}

int64_t view_channels(const struct window_view *view)
{
    return view->added > 0 ? 1 : view->in.extent[1];
}

/* The dilation of a window of one item means nothing, and is left out. */
void emit_window_attrs(const struct emit *e, const struct window *window)
{
    int64_t size[MAX_RANK] = {0}, stride[MAX_RANK], dilation[MAX_RANK], pads[2 * MAX_RANK];
    int64_t more[MAX_RANK];
    int rank = window->rank;
    bool dilated = false, lacking = false;

    for (int i = 0; i < rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        more[i] = window->reverse ? dim->after - surplus(dim) : 0;
        lacking |= more[i] > 0;
        size[i] = dim->size;
        stride[i] = dim->stride;
        dilation[i] = dim->size > 1 ? dim->dilation : 1;
        pads[i] = dim->before;
        pads[rank + i] = dim->after;
        dilated |= dilation[i] > 1;
    }
    emit_attr_ints(e, "kernel_shape", size, rank);
    emit_attr_ints(e, "strides", stride, rank);
    emit_attr_ints(e, "pads", pads, 2 * rank);
    if (dilated)
        emit_attr_ints(e, "dilations", dilation, rank);
    if (lacking)
        emit_attr_ints(e, "output_padding", more, rank);
}

/* --- vectors ------------------------------------------------------------------ */

/* [count,1,1,...] */
static struct shape along(int64_t count, int behind)
{
    struct shape shape = {.rank = 1 + behind, .extent = {count}};

    for (int i = 1; i <= behind; i++)
        shape.extent[i] = 1;
    return shape;
}

const char *emit_along(const struct emit *e, const float *items, int64_t count, int behind)
{
    struct shape shape = along(count, behind);

    return emit_scalars(e, &shape, items);
}

const char *emit_steps(const struct emit *e, int64_t first, int64_t step, int64_t count, int behind)
{
    struct shape shape = along(count, behind);
    int64_t *items = emit_room(e, count, sizeof *items);

    for (int64_t i = 0; i < count; i++)
        items[i] = first + i * step;
    return emit_integers(e, &shape, items);
}
