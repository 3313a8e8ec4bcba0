/* export_window.c - windows of NNEF as those of ONNX, and what is put around their input */
#include "convert/onnx/export_window.h"

#include "op/check.h"

#include <assert.h>
#include <string.h>

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

bool window_is_padded(const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before != 0 || window->dim[i].after != 0)
            return true;
    return false;
}

bool window_pads_fit(const struct window *window)
{
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].before >= window->dim[i].size ||
            window->dim[i].after >= window->dim[i].size)
            return false;
    return true;
}

static struct window_dim standing_still(int64_t extent)
{
    return (struct window_dim){.in = extent, .out = extent, .size = 1, .stride = 1, .dilation = 1};
}

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

bool emit_check_sliding(const struct emit *e, const struct window *window, int limit)
{
    int count = window_sliding(window);

    return count <= limit ||
           emit_refuse(e,
                       "the window of '%s' slides along %d dimensions, the places of its taps can "
                       "be told in at most %d",
                       e->node->op->name, count, limit);
}

/* --- padding ----------------------------------------------------------------------------- */

static const char *const pad_modes[] = {
    [BORDER_CONSTANT] = "constant", [BORDER_REPLICATE] = "edge",  [BORDER_REFLECT] = "reflect",
    [BORDER_REFLECT_EVEN] = NULL,   [BORDER_IGNORE] = "constant",
};

static bool is_filled(enum border border)
{
    return border != BORDER_CONSTANT && border != BORDER_IGNORE;
}

/* ONNX has no such mode of padding: each dimension picks its items by number. */
static const char *pad_by_gather(const struct emit *e, int result, const char *x,
                                 const struct emit_padding *padding, int axis)
{
    int64_t extent = padding->shape.extent[axis], before = padding->amount[axis][0];
    int64_t count = before + extent + padding->amount[axis][1];
    int64_t *from = emit_room(e, count, sizeof *from);

    assert(axis < padding->shape.rank && count > 0);
    for (int64_t i = 0; i < count; i++) {
        from[i] = i - before;
        if (from[i] < 0 || from[i] >= extent)
            from[i] = border_index(padding->border, from[i], extent);
    }
    const char *y =
        emit(e, result, "Gather", x,
             emit_integers(e, &(struct shape){.rank = 1, .extent = {count}}, from), NULL);
    emit_attr_int(e, "axis", axis);
    return y;
}

static const char *pad_all_by_gather(const struct emit *e, int result, const char *x,
                                     const struct emit_padding *padding)
{
    int last = -1;

    for (int i = 0; i < padding->shape.rank; i++)
        if (padding->amount[i][0] != 0 || padding->amount[i][1] != 0)
            last = i;
    for (int i = 0; i <= last; i++)
        if (padding->amount[i][0] != 0 || padding->amount[i][1] != 0)
            x = pad_by_gather(e, i == last ? result : EMIT_TEMP, x, padding, i);
    return x;
}

/* Only what is added. */
static const char *pad_widen(const struct emit *e, int result, const char *x,
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
                        ? emit(e, result, "Pad", x, amounts, NULL)
                        : emit(e, result, "Pad", x, amounts, emit_scalar(e, padding->value), NULL);
    emit_attr_string(e, "mode", pad_modes[padding->border]);
    return y;
}

/* Only what is cut off. */
static const char *pad_crop(const struct emit *e, int result, const char *x,
                            const struct emit_padding *padding)
{
    int64_t axes[MAX_RANK], begin[MAX_RANK], end[MAX_RANK];
    struct emit_range at = {0, axes, begin, end, NULL};

    for (int i = 0; i < padding->shape.rank; i++) {
        int64_t before = padding->amount[i][0], after = padding->amount[i][1];
        if (before >= 0 && after >= 0)
            continue;
        axes[at.count] = i;
        begin[at.count] = before < 0 ? -before : 0;
        end[at.count++] = after < 0 ? after : INT64_MAX;
    }
    return emit_slice(e, result, x, &at);
}

/* An item that is cut off may be one that was added on the other side. */
const char *emit_pad(const struct emit *e, int result, const char *x,
                     const struct emit_padding *padding)
{
    bool more = false, less = false;

    for (int i = 0; i < padding->shape.rank; i++)
        for (int side = 0; side < 2; side++) {
            more |= padding->amount[i][side] > 0;
            less |= padding->amount[i][side] < 0;
        }
    if (more && padding->border == BORDER_REFLECT_EVEN)
        return pad_all_by_gather(e, result, x, padding);
    if (more)
        x = pad_widen(e, less ? EMIT_TEMP : result, x, padding);
    if (less)
        return pad_crop(e, result, x, padding);
    return more ? x : emit(e, result, "Identity", x, NULL);
}

/* As far as the border can be reflected, and the window needs. */
static int64_t filled_after(const struct window *window, const struct window_dim *dim)
{
    int64_t reach = (dim->out - 1) * dim->stride + window_reach(dim) - dim->before - dim->in;
    int64_t room = window->border == BORDER_REFLECT ? dim->in - 1 : dim->in;

    if (window->border == BORDER_REPLICATE || dim->after <= room)
        return dim->after;
    return reach;
}

/* How much of the padding of a dimension has to be done before the window. */
static void split_padding(const struct window *window, struct window_dim *dim, int64_t amount[2])
{
    int64_t cut_before = dim->before < 0 ? dim->before : 0;
    int64_t cut_after = dim->after < 0 ? dim->after : 0;

    if (is_filled(window->border)) {
        dim->after = filled_after(window, dim);
        amount[0] = dim->before;
        amount[1] = dim->after;
    } else if (dim->in + cut_before + cut_after > 0) {
        amount[0] = cut_before;
        amount[1] = cut_after;
    } else {
        amount[0] = dim->before;
        amount[1] = dim->after;
    }
}

/* Pad dimensions `first` and on, which those of the window become part of. */
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
    return some ? emit_pad(e, EMIT_TEMP, x, padding) : x;
}

const char *emit_border(const struct emit *e, const char *x, int first, struct window *window)
{
    struct emit_padding padding = {.border = window->border};

    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        int64_t *amount = padding.amount[first + i];
        split_padding(window, dim, amount);
        dim->before -= amount[0];
        dim->after -= amount[1];
    }
    if (is_filled(window->border))
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

static int64_t not_negative(int64_t value)
{
    return value > 0 ? value : 0;
}

/* Items that a filled border contributes. */
static void reverse_reach(const struct window_dim *dim, int64_t amount[2])
{
    int64_t lowest = (dim->before + 1 - window_reach(dim)) / dim->stride;
    int64_t highest = (dim->out - 1 + dim->before) / dim->stride;

    amount[0] = not_negative(-lowest);
    amount[1] = not_negative(highest - (dim->in - 1));
}

/* Items of the full result that padding cuts off behind; negative: those that it lacks. */
static int64_t surplus(const struct window_dim *dim)
{
    return window_full(dim) - dim->before - dim->out;
}

/* Zeros around the input move the result: whole strides make up for negative padding. */
static void reverse_zeros(const struct window_dim *dim, int64_t amount[2])
{
    amount[0] = dim->before < 0 ? (-dim->before + dim->stride - 1) / dim->stride : 0;
    amount[1] = not_negative(-surplus(dim)) / dim->stride;
}

static const char *pad_reverse(const struct emit *e, const char *x, int first,
                               struct window *window, bool filled)
{
    struct emit_padding padding = {.border = filled ? window->border : BORDER_CONSTANT};

    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        int64_t *amount = padding.amount[first + i];
        (filled ? reverse_reach : reverse_zeros)(dim, amount);
        dim->before += amount[0] * dim->stride;
    }
    return pad_window(e, x, first, window, &padding);
}

const char *emit_reverse_border(const struct emit *e, const char *x, int first,
                                struct window *window)
{
    if (is_filled(window->border))
        x = pad_reverse(e, x, first, window, true);
    x = pad_reverse(e, x, first, window, false);
    for (int i = 0; i < window->rank; i++)
        window->dim[i].after = not_negative(surplus(&window->dim[i]));
    return x;
}

/* --- views ------------------------------------------------------------------------------- */

/* The first `added` of the axes that are put before a tensor's own: a lone one is the batch. */
static const int64_t added_axes[3][2] = {{0}, {1}, {0, 1}};

static int leading_still(const struct window *window)
{
    int count = 0;

    while (count < window->rank && !slides(&window->dim[count]))
        count++;
    return count;
}

static void fold_view(struct window_view *view, const struct window *turn)
{
    int count = 0;

    view->folded = true;
    view->added = 1;
    for (int i = 0; i < turn->rank; i++)
        if (!slides(&turn->dim[i]))
            view->order[count++] = i;
    for (int i = 0; i < turn->rank; i++)
        if (slides(&turn->dim[i])) {
            view->order[count++] = i;
            view->window.dim[view->window.rank++] = turn->dim[i];
        }
}

struct window_view view_of(const struct emit *e, const struct window *turn)
{
    struct window_view view = {.e = e,
                               .window = {.reverse = turn->reverse, .border = turn->border}};
    int still = leading_still(turn);

    assert(window_sliding(turn) <= MOVED);
    view.in.rank = view.out.rank = turn->rank;
    for (int i = 0; i < turn->rank; i++) {
        view.in.extent[i] = turn->dim[i].in;
        view.out.extent[i] = turn->dim[i].out;
    }
    if (still > 2)
        still = 2;
    if (turn->rank - still > TURN) {
        fold_view(&view, turn);
        return view;
    }
    view.added = 2 - still;
    for (int i = still; i < turn->rank; i++)
        view.window.dim[view.window.rank++] = turn->dim[i];
    return view;
}

static bool is_ordered(const struct window_view *view)
{
    for (int i = 0; i < view->in.rank; i++)
        if (view->order[i] != i)
            return false;
    return true;
}

static const char *fold_tensor(const struct window_view *view, const char *x,
                               const struct shape *shape)
{
    struct shape seen = {.rank = 2, .extent = {-1, 1}};
    int still = shape->rank - view->window.rank;

    if (!is_ordered(view))
        x = emit_transpose(view->e, EMIT_TEMP, x, view->order, shape->rank);
    for (int i = still; i < shape->rank; i++)
        seen.extent[seen.rank++] = shape->extent[view->order[i]];
    return emit_reshape(view->e, EMIT_TEMP, x, &seen);
}

static const char *enter_view(const struct window_view *view, const char *x,
                              const struct shape *shape)
{
    if (view->folded)
        return fold_tensor(view, x, shape);
    if (view->added > 0)
        return emit_unsqueeze(view->e, EMIT_TEMP, x, added_axes[view->added], view->added);
    return x;
}

const char *view_input(const struct window_view *view, const char *x)
{
    return enter_view(view, x, &view->in);
}

const char *view_output(const struct window_view *view, const char *x)
{
    return enter_view(view, x, &view->out);
}

int view_result(const struct window_view *view, int result)
{
    return view->added > 0 ? EMIT_TEMP : result;
}

const char *emit_flat(const struct emit *e, const char *x)
{
    static const int64_t flat[] = {0, 0, -1};

    return emit(e, EMIT_TEMP, "Reshape", x, emit_vector(e, flat, 3), NULL);
}

static const char *unfold_view(const struct window_view *view, int result, const char *y)
{
    struct shape shape = {.rank = view->out.rank};
    int64_t back[MAX_RANK];
    bool ordered = is_ordered(view);

    for (int i = 0; i < shape.rank; i++) {
        shape.extent[i] = view->out.extent[view->order[i]];
        back[view->order[i]] = i;
    }
    if (view->window.rank < shape.rank)
        shape.extent[0] = -1;
    y = emit_reshape(view->e, ordered ? result : EMIT_TEMP, y, &shape);
    return ordered ? y : emit_transpose(view->e, result, y, back, shape.rank);
}

const char *view_leave(const struct window_view *view, int result, const char *y)
{
    if (view->folded)
        return unfold_view(view, result, y);
    if (view->added > 0)
        return emit_squeeze(view->e, result, y, added_axes[view->added], view->added);
    return y;
}

int64_t view_channels(const struct window_view *view)
{
    return view->added > 0 ? 1 : view->in.extent[1];
}

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

/* --- vectors and chains ------------------------------------------------------------------ */

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

void chain_add(struct emit_chain *chain, const char *type, const char *with)
{
    if (chain->type)
        chain->x = emit(chain->e, EMIT_TEMP, chain->type, chain->x, chain->with, NULL);
    chain->type = type;
    chain->with = with;
}

const char *chain_end(struct emit_chain *chain, int result)
{
    if (!chain->type)
        return emit(chain->e, result, "Identity", chain->x, NULL);
    return emit(chain->e, result, chain->type, chain->x, chain->with, NULL);
}

/* --- places of taps ---------------------------------------------------------------------- */

/* Tap `index` in row-major order, as the tap of one dimension times `unit`. */
static const char *tap_of(const struct window_view *view, const char *index, int axis, int64_t unit)
{
    const struct window *window = &view->window;
    struct emit_chain chain = {.e = view->e, .x = index};
    int64_t before = 1, behind = 1;

    for (int i = 0; i < axis; i++)
        before *= window->dim[i].size;
    for (int i = axis + 1; i < window->rank; i++)
        behind *= window->dim[i].size;
    if (behind > 1)
        chain_add(&chain, "Div", emit_integer(view->e, behind));
    if (before > 1)
        chain_add(&chain, "Mod", emit_integer(view->e, window->dim[axis].size));
    if (unit > 1)
        chain_add(&chain, "Mul", emit_integer(view->e, unit));
    return chain.type ? chain_end(&chain, EMIT_TEMP) : index;
}

static int64_t pitch_of(const int64_t *room, int rank, int axis)
{
    int64_t pitch = 1;

    for (int i = axis + 1; i < rank; i++)
        pitch *= room[i];
    return pitch;
}

const char *emit_places(const struct window_view *view, const char *index, const int64_t *room,
                        const int64_t *shift)
{
    const struct window *window = &view->window;
    struct emit_chain sum = {.e = view->e};

    for (int i = 0; i < window->rank; i++) {
        int64_t unit = window->dim[i].dilation * pitch_of(room, window->rank, i);
        if (window->dim[i].size == 1)
            continue;
        const char *tap = tap_of(view, index, i, unit);
        if (sum.x)
            chain_add(&sum, "Add", tap);
        else
            sum.x = tap;
    }
    if (!sum.x)
        sum.x = index;
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t pitch = pitch_of(room, window->rank, i);
        int64_t count = window->reverse ? dim->in : dim->out;
        chain_add(&sum, "Add",
                  emit_steps(view->e, shift[i] * pitch, dim->stride * pitch, count,
                             window->rank - 1 - i));
    }
    return chain_end(&sum, EMIT_TEMP);
}
