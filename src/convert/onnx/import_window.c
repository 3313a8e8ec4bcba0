/*
 * import_window.c - convolutions, pools and columns
 *
 * Tensors are [batch, channels, spatial...].  With ceil_mode the number of windows is rounded up,
 * but a window that begins in the padding behind the input is left out even then.
 */
#include "convert/onnx/import_share.h"
#include "convert/onnx/window.h"
#include "op/window.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- windows upon an input: what holds of them in ONNX and in PyTorch ----------------------- */

/* The largest number of a window, so that products of two with an extent are in range. */
enum { ITEM_MAX = 1 << 28 };

/* Items of a filter of integers, each of which becomes nodes. */
enum { TAPS_MAX = 1 << 12 };

/* An item of a list that may be empty. */
static int64_t integers_or(const struct integers *list, int index, int64_t otherwise)
{
    assert(index >= 0);
    return index < list->count ? list->item[index] : otherwise;
}

/* No items, or `count` of them that are neither less than `least` nor beyond ITEM_MAX. */
static bool check_list(struct translation *t, const char *name, const struct integers *list,
                       int count, int64_t least)
{
    if (list->count != 0 && list->count != count)
        return import_error(t, DIAG_ITEM_COUNT, "'%s' has %d items, expected %d", name, list->count,
                            count);
    for (int i = 0; i < list->count; i++)
        if (list->item[i] < least || list->item[i] > ITEM_MAX)
            return import_error(t, DIAG_ITEM_VALUE,
                                "'%s' has an item %" PRId64 ", expected %" PRId64 " or more", name,
                                list->item[i], least);
    return true;
}

/* Does the padding keep the extents, but for the stride? */
static bool is_same(const struct window_lists *lists)
{
    return lists->auto_pad == PAD_SAME_UPPER || lists->auto_pad == PAD_SAME_LOWER;
}

/* The padding behind dimension `i` that is asked for by number. */
static int64_t told_after(const struct window_lists *lists, int rank, int i)
{
    return lists->auto_pad == PAD_AS_TOLD ? integers_or(&lists->pads, rank + i, 0) : 0;
}

/*
 * The window of dimensions 2 and on of `x`.  `in`, `size`, `stride`, `dilation`, `before` and
 * `after` of each are set, and `out` if the window is not transposed.  False after a report.
 */
static bool window_read(struct translation *t, const struct window_lists *lists,
                        const struct shape *x, struct window *window)
{
    int rank = x->rank - 2;

    *window = (struct window){.rank = rank};
    if (rank < 1)
        return import_error(t, DIAG_RANK, "input 0 has rank %d, expected at least 3", x->rank);
    if (!check_list(t, "kernel_shape", &lists->size, rank, 1) ||
        !check_list(t, "strides", &lists->stride, rank, 1) ||
        !check_list(t, "dilations", &lists->dilation, rank, 1) ||
        !check_list(t, "pads", &lists->pads, 2 * rank, -ITEM_MAX))
        return false;
    if (lists->size.count == 0)
        return import_error(t, DIAG_ONNX_GRAPH, "attribute 'kernel_shape' is missing");
    for (int i = 0; i < rank; i++) {
        struct window_dim *dim = &window->dim[i];
        *dim = (struct window_dim){.in = x->extent[2 + i],
                                   .size = lists->size.item[i],
                                   .stride = integers_or(&lists->stride, i, 1),
                                   .dilation = integers_or(&lists->dilation, i, 1)};
        if (lists->auto_pad == PAD_AS_TOLD)
            dim->before = integers_or(&lists->pads, i, 0);
        dim->after = told_after(lists, rank, i);
        int64_t stride = dim->stride, reach = window_reach(dim);
        assert(stride > 0 && reach > 0);
        if (is_same(lists)) { /* nothing but the stride makes the result smaller */
            dim->out = (dim->in + stride - 1) / stride;
            int64_t total = (dim->out - 1) * stride + reach - dim->in;
            total = total > 0 ? total : 0;
            dim->before = lists->auto_pad == PAD_SAME_LOWER ? total - total / 2 : total / 2;
            dim->after = total - dim->before;
        } else if (lists->ceil_mode) {
            int64_t room = dim->in + dim->before + dim->after - reach;
            int64_t count = (room + stride - 1) / stride + 1;
            if ((count - 1) * stride >= dim->in + dim->before)
                count--;
            dim->after = (count - 1) * stride + reach - dim->in - dim->before;
        }
    }
    return true;
}

/*
 * The padding of a transposed convolution, and the spatial extents `to` [batch, channels,
 * spatial...] of its result.  If the total of padding is odd, the larger half is in front unless
 * auto_pad is SAME_UPPER; if there is too little to take away, there is more behind.  NNEF takes a
 * surplus below the stride from output_shape, whose items are positive; a larger one needs less
 * padding.  False after a report.
 */
static bool window_transpose(struct translation *t, const struct window_lists *lists,
                             struct window *window, int64_t *to)
{
    int rank = window->rank;

    if (!check_list(t, "output_padding", &lists->more, rank, 0) ||
        !check_list(t, "output_shape", &lists->output, rank, 1))
        return false;
    for (int i = 0; i < rank; i++) {
        struct window_dim *dim = &window->dim[i];
        int64_t more = integers_or(&lists->more, i, 0); /* items behind what the input reaches */
        dim->out = integers_or(&lists->output, i, dim->in * dim->stride);
        if (lists->output.count > 0 || is_same(lists)) {
            int64_t full = window_full(dim) + more;
            int64_t total = full > dim->out ? full - dim->out : 0;
            more += dim->out > full ? dim->out - full : 0;
            dim->before = lists->auto_pad == PAD_SAME_UPPER ? total / 2 : total - total / 2;
            dim->after = total - dim->before;
        }
        to[2 + i] = dim->out = window_full(dim) - dim->before - dim->after + more;
        if (!to[0] || !to[1] || more >= dim->stride)
            dim->after -= more;
    }
    return true;
}

/* With size, padding, stride and dilation.  `first` dimensions in front of the window's do not
 * slide. */
static struct window_attrs window_attributes(struct translation *t, const struct window *window,
                                             int first, bool has_size)
{
    int rank = first + window->rank;
    int64_t *size = import_alloc(t, rank, sizeof *size);
    int64_t *stride = import_alloc(t, rank, sizeof *stride);
    int64_t *dilation = import_alloc(t, rank, sizeof *dilation);
    int64_t(*pad)[2] = import_alloc(t, rank, sizeof *pad);

    assert(rank <= MAX_RANK);
    for (int i = 0; i < rank; i++) {
        static const struct window_dim still = {.size = 1, .stride = 1, .dilation = 1};
        const struct window_dim *dim = i < first ? &still : &window->dim[i - first];
        size[i] = dim->size;
        stride[i] = dim->stride;
        dilation[i] = dim->dilation;
        pad[i][0] = dim->before;
        pad[i][1] = dim->after;
    }
    return (struct window_attrs){.size = {has_size ? rank : 0, size},
                                 .padding = {rank, (const int64_t(*)[2])pad},
                                 .stride = {rank, stride},
                                 .dilation = {rank, dilation}};
}

/* --- what a node says of its windows ------------------------------------------------------- */

/* A list may be absent, but not empty. */
static bool read_list(struct translation *t, const char *name, struct integers *list)
{
    if (!get_ints(t, name, list)) {
        *list = (struct integers){0};
        return !t->failed;
    }
    return list->count > 0 ||
           import_error(t, DIAG_ITEM_COUNT, "'%s' has 0 items, expected some", name);
}

/* All that a node of ONNX says of its windows; false after a report. */
static bool read_lists(struct translation *t, struct window_lists *lists)
{
    static const char *const names[] = {[PAD_AS_TOLD] = "NOTSET",
                                        [PAD_SAME_UPPER] = "SAME_UPPER",
                                        [PAD_SAME_LOWER] = "SAME_LOWER",
                                        [PAD_NONE] = "VALID",
                                        NULL};

    *lists = (struct window_lists){.groups = get_int(t, "group", 1),
                                   .ceil_mode = get_int(t, "ceil_mode", 0),
                                   .by_columns = get_int(t, "storage_order", 0)};
    if (!read_list(t, "kernel_shape", &lists->size) || !read_list(t, "strides", &lists->stride) ||
        !read_list(t, "dilations", &lists->dilation) || !read_list(t, "pads", &lists->pads) ||
        !read_list(t, "output_padding", &lists->more) ||
        !read_list(t, "output_shape", &lists->output))
        return false;
    if (!*get_string(t, "auto_pad", "")) /* as if it were absent */
        return true;
    int found = get_word(t, "auto_pad", "NOTSET", names);
    lists->auto_pad = (enum auto_pad)found;
    return found >= 0;
}

/* --- convolutions ------------------------------------------------------------------------- */

/* The window of a filter upon x, which have the same rank; its size is that of the filter. */
static bool read_filter(struct translation *t, const struct imported *x,
                        const struct imported *filter, struct window_lists *lists,
                        struct window *window)
{
    if (x->shape.rank != filter->shape.rank)
        return import_error(t, DIAG_RANK, "the filter has rank %d, expected %d, that of the input",
                            filter->shape.rank, x->shape.rank);
    if (lists->size.count == 0 && x->shape.rank > 2)
        lists->size = (struct integers){x->shape.rank - 2, filter->shape.extent + 2};
    if (!window_read(t, lists, &x->shape, window))
        return false;
    for (int i = 0; i < window->rank; i++)
        if (window->dim[i].size != filter->shape.extent[2 + i])
            return import_error(t, DIAG_ONNX_GRAPH,
                                "the window has extent %" PRId64
                                " along dimension %d, but the filter has shape %s",
                                window->dim[i].size, 2 + i, SHAPE_TEXT(&filter->shape));
    return true;
}

/* The items of x under item `tap` of the filter, as [batch, groups, channels of a group, windows].
 */
static struct imported *under_tap(struct translation *t, struct imported *x,
                                  const struct window *window, const int64_t *tap, int64_t groups)
{
    int64_t axes[MAX_RANK], begin[MAX_RANK], end[MAX_RANK], stride[MAX_RANK];
    struct shape shape = {.rank = 4};
    int64_t windows = 1;

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        axes[i] = 2 + i;
        begin[i] = tap[i] * dim->dilation;
        end[i] = begin[i] + (dim->out - 1) * dim->stride + 1;
        stride[i] = dim->stride;
        windows *= dim->out;
    }
    x = make1(t,
              OP_SPEC(slice, .axes = {window->rank, axes}, .begin = {window->rank, begin},
                      .end = {window->rank, end}, .stride = {window->rank, stride}),
              x);
    if (!x)
        return NULL;
    shape.extent[0] = x->shape.extent[0];
    shape.extent[1] = groups;
    shape.extent[2] = x->shape.extent[1] / groups;
    shape.extent[3] = windows;
    return reshape_to(t, x, &shape);
}

/* That item of all filters, as [1, groups, outputs of a group, channels of a group]. */
static struct imported *filter_tap(struct translation *t, struct imported *filter,
                                   const struct window *window, const int64_t *tap, int64_t groups)
{
    const struct shape shape = {
        .rank = 4,
        .extent = {1, groups, filter->shape.extent[0] / groups, filter->shape.extent[1]}};

    for (int i = 0; i < window->rank; i++)
        filter = slice_at(t, filter, 2 + i, tap[i], tap[i] + 1);
    return filter ? reshape_to(t, filter, &shape) : NULL;
}

/* Exact sums: a product of matrices for each item of the filter. */
static struct imported *conv_integers(struct translation *t, struct imported *x,
                                      struct imported *filter, struct window *window,
                                      int64_t groups)
{
    struct shape shape = {.rank = x->shape.rank};
    int64_t pads[MAX_RANK][2] = {{0}}, tap[MAX_RANK], taps = 1;
    struct imported *sum = NULL;

    shape.extent[0] = x->shape.extent[0];
    shape.extent[1] = filter->shape.extent[0];
    for (int i = 0; i < window->rank; i++) {
        struct window_dim *dim = &window->dim[i];
        int64_t room = dim->in + dim->before + dim->after - window_reach(dim);
        pads[2 + i][0] = dim->before;
        pads[2 + i][1] = dim->after;
        shape.extent[2 + i] = dim->out = room < 0 ? 0 : room / dim->stride + 1;
        taps = taps > TAPS_MAX ? taps : taps * dim->size;
        if (dim->out < 1 || dim->size != filter->shape.extent[2 + i])
            return import_refuse(t, DIAG_EXTENT,
                                 "has a filter of shape %s for an input of shape %s",
                                 SHAPE_TEXT(&filter->shape), SHAPE_TEXT(&x->shape));
    }
    if (groups < 1 || filter->shape.extent[1] * groups != x->shape.extent[1] ||
        filter->shape.extent[0] % groups != 0)
        return import_refuse(t, DIAG_SHAPE_MISMATCH,
                             "has a filter of shape %s in %" PRId64
                             " groups for an input of shape %s",
                             SHAPE_TEXT(&filter->shape), groups, SHAPE_TEXT(&x->shape));
    if (taps > TAPS_MAX)
        return import_unsupported(t, "has a filter of integers with more than %d items", TAPS_MAX);
    x = pad_with(t, x, (const int64_t(*)[2])pads, literal(t, 0));
    for (int64_t k = 0; x && k < taps; k++) {
        for (int64_t i = window->rank - 1, rest = k; i >= 0; rest /= window->dim[i--].size)
            tap[i] = rest % window->dim[i].size;
        struct imported *product = op2(t, OP_matmul, filter_tap(t, filter, window, tap, groups),
                                       under_tap(t, x, window, tap, groups));
        sum = k == 0 ? product : op2(t, OP_add, sum, product);
    }
    return sum ? reshape_to(t, sum, &shape) : NULL;
}

struct imported *build_conv(struct translation *t, struct imported *x, struct imported *filter,
                            struct imported *bias, struct window_lists *lists)
{
    const bool transposed = lists->transposed;
    struct window window = {0};
    int64_t to[MAX_RANK];

    if (!x || !filter || !read_filter(t, x, filter, lists, &window))
        return NULL;
    to[0] = x->shape.extent[0];
    to[1] = filter->shape.extent[1] * lists->groups;
    if (transposed && !window_transpose(t, lists, &window, to))
        return NULL;
    if (!bias && !transposed && dtype_of(x->type) == DTYPE_INTEGER &&
        dtype_of(filter->type) == DTYPE_INTEGER)
        return conv_integers(t, x, filter, &window, lists->groups);
    bias = bias ? per_channel(t, bias, 2) : literal(t, 0);
    struct window_attrs attrs = window_attributes(t, &window, 0, false);
    attrs.groups = lists->groups;
    if (transposed && to[0] && to[1])
        attrs.output_shape = (struct integers){x->shape.rank, to};
    return make_all(t, (struct op_spec){transposed ? OP_deconv : OP_conv, &attrs},
                    (struct imported *[]){x, filter, bias}, 3);
}

struct imported *convolve(struct translation *t, struct imported *x, struct imported *filter,
                          struct imported *bias)
{
    struct window_lists lists;

    if (!read_lists(t, &lists))
        return NULL;
    lists.transposed = t->row->op == OP_deconv;
    return build_conv(t, x, filter, bias, &lists);
}

struct imported *convolve_integers(struct translation *t, struct imported *x,
                                   struct imported *zero_x, struct imported *filter,
                                   struct imported *zero_filter)
{
    struct window_lists lists;
    struct window window = {0};

    if (!x || !filter || !read_lists(t, &lists) || !read_filter(t, x, filter, &lists, &window))
        return NULL;
    struct window_attrs attrs = window_attributes(t, &window, 0, false);
    attrs.groups = lists.groups;
    struct imported *in[] = {x, filter, known_integer(t, 0, ONNX_INT64), zero_x, zero_filter};
    return make_all(t, (struct op_spec){OP_quantized_conv, &attrs}, in, 5);
}

struct imported *import_conv(struct translation *t)
{
    return convolve(t, input_at(t, 0), input_at(t, 1), input_at(t, 2));
}

struct imported *build_deform_conv(struct translation *t, const struct deforming *conv,
                                   struct window_lists *lists)
{
    struct window window = {0};

    if (!conv->x || !conv->filter || !read_filter(t, conv->x, conv->filter, lists, &window))
        return NULL;
    struct window_attrs attrs = window_attributes(t, &window, 0, false);
    attrs.groups = lists->groups;
    attrs.offset_groups = conv->offset_groups;
    struct imported *in[] = {conv->x, conv->filter,
                             conv->bias ? per_channel(t, conv->bias, 2) : literal(t, 0),
                             conv->offset, conv->mask ? conv->mask : literal(t, 1)};
    return make_all(t, (struct op_spec){OP_deform_conv, &attrs}, in, 5);
}

struct imported *import_deform_conv(struct translation *t)
{
    const struct deforming conv = {.x = input_at(t, 0),
                                   .filter = input_at(t, 1),
                                   .offset = input_at(t, 2),
                                   .bias = input_at(t, 3),
                                   .mask = input_at(t, 4),
                                   .offset_groups = get_int(t, "offset_group", 1)};
    struct window_lists lists;

    return read_lists(t, &lists) ? build_deform_conv(t, &conv, &lists) : NULL;
}

/* --- pools -------------------------------------------------------------------------------- */

/* Windows of pools have extents for batch and channel, too. */
static struct imported *pool(struct translation *t, enum op_id op, struct imported *x,
                             const struct window *window, enum border border)
{
    struct window_attrs attrs = window_attributes(t, window, 2, true);

    attrs.border = border;
    return make1(t, (struct op_spec){op, &attrs}, x);
}

/* As many as `shape` has items along an axis, in that direction. */
static struct imported *along(struct translation *t, const struct shape *shape, int axis,
                              int64_t begin, int64_t step)
{
    struct shape single = shape_along(shape->rank, axis, shape->extent[axis]);

    return known_ramp(t, ONNX_FLOAT, &single, (double)begin, (double)step);
}

/* The whole part of x / divisor, and what is left in *rest. */
static struct imported *divide(struct translation *t, struct imported *x, double divisor,
                               struct imported **rest)
{
    struct imported *whole = op1(t, OP_floor, op2(t, OP_div, x, literal(t, divisor)));

    *rest = op2(t, OP_sub, x, op2(t, OP_mul, whole, literal(t, divisor)));
    return whole;
}

/*
 * An index into the window becomes one into all of the input.  `by_columns` the first spatial
 * dimension runs fastest.
 */
static struct imported *index_in_all(struct translation *t, const struct window *window,
                                     const struct shape *x, bool by_columns, struct imported *index)
{
    int64_t stride[MAX_RANK], rest = 1, unit = 1;

    if (!index || !index_is_exact(t, x))
        return NULL;
    const struct shape out = index->shape;
    assert(x->rank == window->rank + 2);
    shape_strides(x, stride);
    for (int i = 2; by_columns && i < x->rank; unit *= x->extent[i++])
        stride[i] = unit;
    struct imported *k = convert(t, index, ONNX_FLOAT);
    struct imported *sum =
        op2(t, OP_add, along(t, &out, 0, 0, stride[0]), along(t, &out, 1, 0, stride[1]));
    for (int i = 0; i < window->rank; i++)
        rest *= window->dim[i].size;
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        int64_t items = stride[2 + i];
        rest /= dim->size;
        struct imported *tap = divide(t, k, (double)rest, &k);
        struct imported *begin = along(t, &out, 2 + i, -dim->before * items, dim->stride * items);
        tap = op2(t, OP_mul, tap, literal(t, (double)(dim->dilation * items)));
        sum = op2(t, OP_add, sum, op2(t, OP_add, begin, tap));
    }
    return convert(t, sum, ONNX_INT64);
}

/* Where a pool found the greatest items: one in each window over a tensor of that shape. */
struct pooled {
    struct window window;
    struct shape shape;
};

/* NNEF has the index into the window, of scalars only; ONNX wants one into the whole input. */
struct imported *build_max_pool(struct translation *t, struct imported *x,
                                const struct window_lists *lists, struct imported **index)
{
    struct window window = {0};

    if (!x || !window_read(t, lists, &x->shape, &window))
        return NULL;
    if (!index)
        return pool(t, OP_max_pool, x, &window, BORDER_IGNORE);
    const struct shape shape = x->shape;
    int32_t type = x->type;
    x = convert(t, x, dtype_of(type) == DTYPE_SCALAR ? type : ONNX_FLOAT);
    struct imported *most = pool(t, OP_max_pool_with_index, x, &window, BORDER_IGNORE);
    if (!most)
        return NULL;
    *index = index_in_all(t, &window, &shape, lists->by_columns, t->made[1]);
    if (*index && !lists->by_columns) {
        struct pooled *pooled = import_alloc(t, 1, sizeof *pooled);
        *pooled = (struct pooled){window, shape};
        (*index)->pooled = pooled;
    }
    return convert(t, most, type);
}

struct imported *import_max_pool(struct translation *t)
{
    return max_pool_of(t, input_at(t, 0));
}

struct imported *max_pool_of(struct translation *t, struct imported *x)
{
    struct window_lists lists;
    struct imported *index = NULL;
    bool indexed = wants_output(t, 1);

    if (!read_lists(t, &lists))
        return NULL;
    struct imported *most = build_max_pool(t, x, &lists, indexed ? &index : NULL);
    if (indexed && most)
        set_output(t, 1, index);
    return most;
}

/*
 * Do the indices come from windows that neither overlap nor have padding, over a tensor of the
 * shape of the output?  Then each lies in its window.
 */
static bool lie_in_windows(const struct pooled *pooled, const struct window *window,
                           const struct shape *out)
{
    bool same = pooled && shape_equal(&pooled->shape, out);

    for (int i = 0; same && i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i], *from = &pooled->window.dim[i];
        same = from->size == dim->size && from->stride == dim->stride && dim->stride >= dim->size &&
               from->dilation == 1 && !from->before && !dim->before && !dim->after;
    }
    return same;
}

/* Such indices: NNEF's are into the window. */
static struct imported *unpool_windows(struct translation *t, const struct window *window,
                                       const struct shape *out)
{
    struct imported *x = input_at(t, 0), *index = input_at(t, 1), *tap = NULL;
    int64_t volume = shape_volume_range(out, 2, out->rank);

    divide(t, convert(t, index, ONNX_FLOAT), (double)volume, &index);
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        assert(out->extent[2 + i] > 0);
        volume /= out->extent[2 + i];
        struct imported *at = divide(t, index, (double)volume, &index);
        at = op2(t, OP_sub, at, along(t, &x->shape, 2 + i, 0, dim->stride));
        tap = tap ? op2(t, OP_add, op2(t, OP_mul, tap, literal(t, (double)dim->size)), at) : at;
    }
    tap = convert(t, tap, ONNX_INT64);
    struct window_attrs attrs = window_attributes(t, window, 2, true);
    attrs.border = BORDER_CONSTANT;
    attrs.output_shape = (struct integers){out->rank, out->extent};
    return make2(t, (struct op_spec){OP_desample, &attrs}, x, tap);
}

/* Items go anywhere; an index that is negative becomes one beyond the end, which is refused. */
static struct imported *unpool_items(struct translation *t, const struct shape *out)
{
    struct imported *x = input_at(t, 0), *index = input_at(t, 1);
    const struct shape from = {.rank = 1, .extent = {shape_volume(&x->shape)}};
    const struct shape to = {.rank = 1, .extent = {shape_volume(out)}};
    struct imported *end = known_integer(t, to.extent[0], ONNX_INT64);

    index = reshape_to(t, index, &from);
    index = op3(t, OP_select, op2(t, OP_lt, index, literal(t, 0)), end, index);
    struct imported *in[] = {known_ramp(t, x->type, &to, 0, 0), index, reshape_to(t, x, &from)};
    return reshape_to(t, make_all(t, OP_SPEC(scatter_elements, .axis = 0), in, 3), out);
}

/* The shape of an unpooled tensor, which may be told if it is not smaller.  False after a report.
 */
static bool unpooled_shape(struct translation *t, const struct window *window, struct shape *out)
{
    struct shape told;

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        out->extent[2 + i] = dim->in > 0 ? window_full(dim) - dim->before - dim->after : 0;
        if (out->extent[2 + i] < 0)
            return import_error(t, DIAG_EXTENT,
                                "has padding that leaves extent %" PRId64 " along axis %d",
                                out->extent[2 + i], 2 + i);
    }
    if (!has_input(t, 2))
        return true;
    if (!get_shape(t, "", 2, &told))
        return false;
    for (int i = 0; i < out->rank; i++)
        if (told.rank != out->rank || told.extent[i] < out->extent[i] ||
            (i < 2 && told.extent[i] != out->extent[i]))
            return import_error(t, DIAG_SHAPE_MISMATCH,
                                "has windows that reach shape %s, and %s for its output",
                                SHAPE_TEXT(out), SHAPE_TEXT(&told));
    *out = told;
    return true;
}

/* Items go to their indices into the output. */
struct imported *import_max_unpool(struct translation *t)
{
    struct imported *x = input_at(t, 0), *index = input_at(t, 1);
    struct shape out = x->shape;
    struct window_lists lists;
    struct window window = {0};

    if (!read_lists(t, &lists) || !window_read(t, &lists, &x->shape, &window) ||
        !unpooled_shape(t, &window, &out))
        return NULL;
    if (!shape_equal(&index->shape, &x->shape))
        return import_refuse(t, DIAG_SHAPE_MISMATCH, "has indices of shape %s for shape %s",
                             SHAPE_TEXT(&index->shape), SHAPE_TEXT(&x->shape));
    if (shape_volume(&out) == 0)
        return known_new(t, x->type, &out, NULL);
    return lie_in_windows(index->pooled, &window, &out) ? unpool_windows(t, &window, &out)
                                                        : unpool_items(t, &out);
}

/*
 * An average over the cells of the input and of its padding, but not over those behind the padding
 * that is asked for: sums are divided by how many cells count.
 */
static struct imported *counted_average(struct translation *t, struct imported *x,
                                        const struct window_lists *lists,
                                        const struct window *window)
{
    struct shape shape = x->shape;
    struct window inner = *window;

    shape.extent[0] = shape.extent[1] = 1;
    for (int i = 0; i < window->rank; i++) {
        int64_t after = told_after(lists, window->rank, i);
        shape.extent[2 + i] += window->dim[i].before + after;
        inner.dim[i].before = 0;
        inner.dim[i].after -= after;
    }
    struct imported *ones = known_ramp(t, ONNX_FLOAT, &shape, 1, 0);
    return op2(t, OP_div, pool(t, OP_box, x, window, BORDER_CONSTANT),
               pool(t, OP_box, ones, &inner, BORDER_CONSTANT));
}

struct imported *build_average_pool(struct translation *t, struct imported *x,
                                    const struct window_lists *lists, bool count_padding)
{
    struct window window = {0};
    bool beyond = false; /* the padding that was asked for */

    if (!x || !window_read(t, lists, &x->shape, &window))
        return NULL;
    for (int i = 0; i < window.rank; i++)
        beyond |= window.dim[i].after > told_after(lists, window.rank, i);
    if (count_padding && beyond && lists->ceil_mode && !is_same(lists))
        return counted_average(t, x, lists, &window);
    return pool(t, OP_avg_pool, x, &window, count_padding ? BORDER_CONSTANT : BORDER_IGNORE);
}

struct imported *import_average_pool(struct translation *t)
{
    bool count_padding = get_int(t, "count_include_pad", 0);
    struct window_lists lists;

    return read_lists(t, &lists) ? build_average_pool(t, input_at(t, 0), &lists, count_padding)
                                 : NULL;
}

/* (sum of |x|^p)^(1/p), without powers for the first two norms.  p is a float before opset 2. */
struct imported *import_lp_pool(struct translation *t)
{
    const double p = t->opset < 2 ? get_float(t, "p", 2) : (double)get_int(t, "p", 2);
    const bool first = p >= 1 && p <= 1, second = p >= 2 && p <= 2;
    struct imported *x = input_at(t, 0);
    struct window window = {0};
    struct window_lists lists;

    if (!read_lists(t, &lists) || !window_read(t, &lists, &x->shape, &window))
        return NULL;
    x = op1(t, second ? OP_sqr : OP_abs, x);
    if (!first && !second)
        x = op2(t, OP_pow, x, literal(t, p));
    x = pool(t, OP_box, x, &window, BORDER_CONSTANT);
    if (first)
        return x;
    return second ? op1(t, OP_sqrt, x) : op2(t, OP_pow, x, literal(t, 1 / p));
}

/* --- columns ------------------------------------------------------------------------------ */

/* The image, and the window of the block upon it; false after a report. */
static bool read_columns(struct translation *t, struct shape *image, struct window *window)
{
    struct integers extents = {0}, block = {0};
    struct window_lists lists;

    if (!get_integers(t, "", 1, &extents) || !get_integers(t, "", 2, &block) ||
        !read_lists(t, &lists))
        return false;
    if (extents.count < 1 || extents.count > MAX_RANK - 2)
        return import_error(t, DIAG_RANK, "makes %d spatial dimensions, expected 1 to %d",
                            extents.count, MAX_RANK - 2);
    if (block.count != extents.count)
        return import_error(t, DIAG_ITEM_COUNT, "input 2 has %d items, expected %d", block.count,
                            extents.count);
    if (!check_list(t, "input 1", &extents, extents.count, 1) ||
        !check_list(t, "input 2", &block, block.count, 1) ||
        !check_list(t, "pads", &lists.pads, 2 * extents.count, 0))
        return false;
    image->rank = 2 + extents.count;
    memcpy(image->extent + 2, extents.item, (size_t)extents.count * sizeof *extents.item);
    lists.size = block;
    return window_read(t, &lists, image, window);
}

/*
 * A transposed convolution sets each column into its block, and adds where they overlap.  For each
 * cell of the block it has a filter that is 1 there and 0 elsewhere.
 */
struct imported *import_col2im(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct shape in = {0}, out = {0}, filters = {0};
    struct window window = {0};
    int64_t cells = 1, blocks = 1;
    struct tensor *items;

    if (!read_columns(t, &out, &window))
        return NULL;
    in.rank = filters.rank = out.rank;
    for (int i = 0; i < window.rank; i++) {
        const struct window_dim *dim = &window.dim[i];
        int64_t room = dim->in + dim->before + dim->after - window_reach(dim);
        int64_t steps = room / dim->stride + 1;
        if (room < 0 || cells > INT32_MAX / dim->size || blocks > INT32_MAX / steps)
            return import_refuse(t, DIAG_ITEM_VALUE,
                                 "has a block that does not fit into the image");
        cells *= filters.extent[2 + i] = dim->size;
        blocks *= in.extent[2 + i] = steps;
    }
    int64_t channels = x->shape.rank == 3 ? x->shape.extent[1] / cells : 0;
    if (channels < 1 || channels * cells != x->shape.extent[1] || x->shape.extent[2] != blocks)
        return import_refuse(t, DIAG_ONNX_GRAPH,
                             "has columns of shape %s, for %" PRId64 " blocks of %" PRId64 " cells",
                             SHAPE_TEXT(&x->shape), blocks, cells);
    in.extent[0] = out.extent[0] = x->shape.extent[0];
    in.extent[1] = filters.extent[0] = x->shape.extent[1];
    out.extent[1] = channels;
    filters.extent[1] = 1;
    struct imported *filter = known_new(t, ONNX_FLOAT, &filters, &items);
    for (int64_t i = 0; filter && i < filters.extent[0]; i++)
        ((float *)items->data)[i * cells + i % cells] = 1;
    struct window_attrs attrs = window_attributes(t, &window, 0, false);
    attrs.output_shape = (struct integers){out.rank, out.extent};
    attrs.groups = channels;
    int32_t type = x->type;
    x = make_all(t, (struct op_spec){OP_deconv, &attrs},
                 (struct imported *[]){reshape_to(t, x, &in), filter, literal(t, 0)}, 3);
    return convert(t, x, type);
}
