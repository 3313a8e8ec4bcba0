/*
 * import_window.c - convolutions and pools
 *
 * Padding is always explicit.  Windows of pools have extents for batch and channel, too.
 */
#include "convert/onnx/import_share.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

import_function import_conv, import_conv_transpose, import_max_pool, import_average_pool,
    import_lp_pool, import_global_average_pool, import_global_max_pool, import_global_lp_pool,
    import_lrn, import_max_unpool;

/* No window that is meant has larger numbers; products of two with an extent are in range. */
enum { ITEM_MAX = 1 << 28 };

/* Of the spatial dimensions, which are those behind batch and channel. */
struct window {
    int count;
    int64_t size[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], pad[MAX_RANK][2];
    int64_t in[MAX_RANK], out[MAX_RANK];
    bool sticks_out; /* the last window has cells beyond the padding that is asked for */
};

static int64_t reach(const struct window *w, int i)
{
    return (w->size[i] - 1) * w->dilation[i] + 1;
}

static bool read_list(struct translation *t, const char *name, int count, int64_t least,
                      int64_t *to)
{
    struct integers items;

    if (!get_ints(t, name, &items))
        return !t->failed;
    if (items.count != count)
        return import_error(t, DIAG_ITEM_COUNT, "'%s' has %d items, expected %d", name, items.count,
                            count);
    for (int i = 0; i < count; i++) {
        to[i] = items.item[i];
        if (to[i] < least || to[i] > ITEM_MAX)
            return import_error(t, DIAG_ITEM_VALUE,
                                "'%s' has an item %" PRId64 ", expected %" PRId64 " or more", name,
                                to[i], least);
    }
    return true;
}

static bool read_pads(struct translation *t, struct window *w)
{
    int64_t pads[2 * MAX_RANK] = {0};

    if (!read_list(t, "pads", 2 * w->count, -ITEM_MAX, pads))
        return false;
    for (int i = 0; i < w->count; i++) {
        w->pad[i][0] = pads[i];
        w->pad[i][1] = pads[w->count + i];
    }
    return true;
}

/* As many results as strides fit into the input. */
static void same_padding(struct window *w, bool lower)
{
    for (int i = 0; i < w->count; i++) {
        assert(w->stride[i] > 0);
        w->out[i] = (w->in[i] + w->stride[i] - 1) / w->stride[i];
        int64_t total = (w->out[i] - 1) * w->stride[i] + reach(w, i) - w->in[i];
        total = total > 0 ? total : 0;
        w->pad[i][lower] = total / 2;
        w->pad[i][!lower] = total - total / 2;
        if (lower) {
            w->pad[i][0] = total - total / 2;
            w->pad[i][1] = total / 2;
        }
    }
}

static bool read_window(struct translation *t, const struct shape *x, const int64_t *kernel,
                        struct window *w)
{
    *w = (struct window){.count = x->rank - 2};
    if (x->rank < 3)
        return import_error(t, DIAG_RANK, "input 0 has rank %d, expected at least 3", x->rank);
    for (int i = 0; i < w->count; i++) {
        w->stride[i] = w->dilation[i] = 1;
        w->size[i] = kernel ? kernel[i] : 0;
        w->in[i] = x->extent[2 + i];
    }
    if (!read_list(t, "kernel_shape", w->count, 1, w->size) ||
        !read_list(t, "strides", w->count, 1, w->stride) ||
        !read_list(t, "dilations", w->count, 1, w->dilation) || !read_pads(t, w))
        return false;
    return w->size[0] > 0 ||
           import_error(t, DIAG_ONNX_GRAPH, "attribute 'kernel_shape' is missing");
}

static bool auto_padding(struct translation *t, struct window *w, bool *automatic)
{
    const char *how = get_string(t, "auto_pad", "NOTSET");
    bool lower = strcmp(how, "SAME_LOWER") == 0, same = lower || strcmp(how, "SAME_UPPER") == 0;

    *automatic = same;
    if (same)
        same_padding(w, lower);
    else if (strcmp(how, "VALID") == 0)
        memset(w->pad, 0, sizeof w->pad);
    else if (*how && strcmp(how, "NOTSET") != 0)
        return import_error(t, DIAG_ENUM_VALUE,
                            "'auto_pad' is '%s', expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or "
                            "'VALID'",
                            how);
    return true;
}

/* --- convolutions ------------------------------------------------------------------------- */

static void set_window(struct translation *t, const struct window *w)
{
    set_pairs(t, "padding", (const int64_t(*)[2])w->pad, w->count);
    set_integers(t, "stride", w->stride, w->count);
    set_integers(t, "dilation", w->dilation, w->count);
}

static struct imported *check_filter(struct translation *t, const struct imported *x,
                                     struct imported *filter)
{
    if (x->shape.rank == filter->shape.rank)
        return filter;
    import_error(t, DIAG_RANK, "the filter has rank %d, expected %d, that of the input",
                 filter->shape.rank, x->shape.rank);
    return NULL;
}

struct imported *convolve(struct translation *t, struct imported *x, struct imported *filter,
                          struct imported *bias)
{
    struct window w;
    bool automatic;

    if (!x || !filter || !check_filter(t, x, filter) ||
        !read_window(t, &x->shape, filter->shape.extent + 2, &w) ||
        !auto_padding(t, &w, &automatic))
        return NULL;
    bias = bias ? per_channel(t, bias, 2) : literal(t, 0);
    set_window(t, &w);
    set_integer(t, "groups", get_int(t, "group", 1));
    return op3(t, OP_conv, x, filter, bias);
}

struct imported *import_conv(struct translation *t)
{
    return convolve(t, input_at(t, 0), input_at(t, 1), input_at(t, 2));
}

/* Where the total of padding is odd, the half that is larger is in front unless SAME_UPPER; where
 * there is too little to take away, there is more behind. */
static void pad_to_output(struct translation *t, struct window *w, int64_t *more)
{
    bool upper = strcmp(get_string(t, "auto_pad", "NOTSET"), "SAME_UPPER") == 0;

    for (int i = 0; i < w->count; i++) {
        int64_t full = (w->in[i] - 1) * w->stride[i] + reach(w, i) + more[i];
        int64_t total = full > w->out[i] ? full - w->out[i] : 0;
        more[i] += w->out[i] > full ? w->out[i] - full : 0;
        w->pad[i][0] = upper ? total / 2 : total - total / 2;
        w->pad[i][1] = total - w->pad[i][0];
    }
}

static bool transposed_padding(struct translation *t, struct window *w, int64_t *more)
{
    bool automatic, asked = has_attribute(t, "output_shape");

    if (!auto_padding(t, w, &automatic))
        return false;
    for (int i = 0; i < w->count; i++)
        w->out[i] = w->in[i] * w->stride[i];
    if (asked && !read_list(t, "output_shape", w->count, 1, w->out))
        return false;
    if (asked || automatic)
        pad_to_output(t, w, more);
    for (int i = 0; i < w->count; i++)
        w->out[i] =
            (w->in[i] - 1) * w->stride[i] + reach(w, i) - w->pad[i][0] - w->pad[i][1] + more[i];
    return true;
}

/* A surplus below the stride is told by the shape, any other by less padding. */
struct imported *import_conv_transpose(struct translation *t)
{
    struct imported *x = input_at(t, 0), *filter = input_at(t, 1);
    int64_t more[MAX_RANK] = {0}, shape[MAX_RANK], groups = get_int(t, "group", 1);
    struct window w;

    if (!check_filter(t, x, filter) || !read_window(t, &x->shape, filter->shape.extent + 2, &w) ||
        !read_list(t, "output_padding", w.count, 0, more) || !transposed_padding(t, &w, more))
        return NULL;
    shape[0] = x->shape.extent[0];
    shape[1] = filter->shape.extent[1] * groups;
    for (int i = 0; i < w.count; i++) {
        shape[2 + i] = w.out[i];
        if (more[i] >= w.stride[i])
            w.pad[i][1] -= more[i];
    }
    struct imported *bias = has_input(t, 2) ? per_channel(t, input_at(t, 2), 2) : literal(t, 0);
    set_window(t, &w);
    set_integers(t, "output_shape", shape, x->shape.rank);
    set_integer(t, "groups", groups);
    return op3(t, OP_deconv, x, filter, bias);
}

/* --- pools -------------------------------------------------------------------------------- */

/* Windows that begin in the padding behind are left out. */
static void round_up(struct window *w)
{
    for (int i = 0; i < w->count; i++) {
        assert(w->stride[i] > 0);
        int64_t room = w->in[i] + w->pad[i][0] + w->pad[i][1] - reach(w, i);
        int64_t count = (room + w->stride[i] - 1) / w->stride[i] + 1;
        if ((count - 1) * w->stride[i] >= w->in[i] + w->pad[i][0])
            count--;
        int64_t needed = (count - 1) * w->stride[i] + reach(w, i) - w->in[i] - w->pad[i][0];
        w->sticks_out |= needed > w->pad[i][1];
        w->pad[i][1] = needed;
    }
}

static bool pool_window(struct translation *t, struct window *w)
{
    bool automatic;

    if (!read_window(t, &input_at(t, 0)->shape, NULL, w) || !auto_padding(t, w, &automatic))
        return false;
    if (get_int(t, "ceil_mode", 0) && !automatic)
        round_up(w);
    return true;
}

static void set_pool(struct translation *t, const struct window *w, const char *border)
{
    int64_t size[MAX_RANK] = {1, 1}, stride[MAX_RANK] = {1, 1}, dilation[MAX_RANK] = {1, 1};
    int64_t pad[MAX_RANK][2] = {{0}};

    memcpy(size + 2, w->size, sizeof size - 2 * sizeof *size);
    memcpy(stride + 2, w->stride, sizeof size - 2 * sizeof *size);
    memcpy(dilation + 2, w->dilation, sizeof size - 2 * sizeof *size);
    memcpy(pad + 2, w->pad, sizeof pad - 2 * sizeof *pad);
    set_integers(t, "size", size, w->count + 2);
    set_string(t, "border", border);
    set_pairs(t, "padding", (const int64_t(*)[2])pad, w->count + 2);
    set_integers(t, "stride", stride, w->count + 2);
    set_integers(t, "dilation", dilation, w->count + 2);
}

/* Numbers at the same distance. */
struct line {
    double begin, step;
};

/* As many as `shape` has items along an axis, in that direction. */
static struct imported *along(struct translation *t, const struct shape *shape, int axis,
                              struct line line)
{
    struct shape single = {.rank = shape->rank};
    struct tensor *items;

    for (int i = 0; i < shape->rank; i++)
        single.extent[i] = i == axis ? shape->extent[i] : 1;
    struct imported *imported = known_new(t, ONNX_FLOAT, &single, &items);
    for (int64_t i = 0; imported && i < shape->extent[axis]; i++)
        ((float *)items->data)[i] = (float)(line.begin + (double)i * line.step);
    return imported;
}

/* The whole part of x / divisor, and what is left in *rest. */
static struct imported *divide(struct translation *t, struct imported *x, double divisor,
                               struct imported **rest)
{
    struct imported *whole = op1(t, OP_floor, op2(t, OP_div, x, literal(t, divisor)));

    *rest = op2(t, OP_sub, x, op2(t, OP_mul, whole, literal(t, divisor)));
    return whole;
}

/* Items between neighbours; by columns the first spatial dimension runs fastest. */
static void strides_of(const struct shape *x, bool by_columns, int64_t *stride)
{
    int64_t next = 1;

    shape_strides(x, stride);
    for (int i = 2; by_columns && i < x->rank; i++) {
        stride[i] = next;
        next *= x->extent[i];
    }
}

/* An index into the window becomes one into all of the input. */
static struct imported *index_in_all(struct translation *t, const struct window *w,
                                     const struct shape *x, struct imported *index)
{
    int64_t stride[MAX_RANK], rest = 1;

    if (!index)
        return NULL;
    const struct shape out = index->shape;
    strides_of(x, get_int(t, "storage_order", 0), stride);
    struct imported *k = convert(t, index, ONNX_FLOAT);
    struct imported *sum = op2(t, OP_add, along(t, &out, 0, (struct line){0, (double)stride[0]}),
                               along(t, &out, 1, (struct line){0, (double)stride[1]}));
    for (int i = 0; i < w->count; i++)
        rest *= w->size[i];
    for (int i = 0; i < w->count; i++) {
        double unit = (double)stride[2 + i];
        rest /= w->size[i];
        struct imported *tap = divide(t, k, (double)rest, &k);
        struct line line = {-(double)w->pad[i][0] * unit, (double)w->stride[i] * unit};
        struct imported *begin = along(t, &out, 2 + i, line);
        tap = op2(t, OP_mul, tap, literal(t, (double)w->dilation[i] * unit));
        sum = op2(t, OP_add, sum, op2(t, OP_add, begin, tap));
    }
    return convert(t, sum, ONNX_INT64);
}

struct imported *import_max_pool(struct translation *t)
{
    struct imported *x = input_at(t, 0), *most;
    struct window w;

    if (!pool_window(t, &w))
        return NULL;
    if (!wants_output(t, 1)) {
        set_pool(t, &w, "ignore");
        return op1(t, OP_max_pool, x);
    }
    int32_t type = x->type;
    x = convert(t, x, dtype_of(type) == DTYPE_SCALAR ? type : ONNX_FLOAT);
    set_pool(t, &w, "ignore");
    most = op1(t, OP_max_pool_with_index, x);
    if (!most)
        return NULL;
    set_output(t, 1, index_in_all(t, &w, &input_at(t, 0)->shape, t->made[1]));
    return convert(t, most, type);
}

/* Items go where their indices tell, which are those of windows that do not overlap. */
struct imported *import_max_unpool(struct translation *t)
{
    struct imported *x = input_at(t, 0), *index = input_at(t, 1), *tap = NULL;
    struct shape out = x->shape;
    struct window w;

    if (!read_window(t, &x->shape, NULL, &w))
        return NULL;
    if (has_input(t, 2))
        return import_unsupported(t, "is told the shape of its output");
    for (int i = 0; i < w.count; i++) {
        out.extent[2 + i] =
            (x->shape.extent[2 + i] - 1) * w.stride[i] + reach(&w, i) - w.pad[i][0] - w.pad[i][1];
        if (w.stride[i] < w.size[i] || w.pad[i][0] || w.pad[i][1] || w.dilation[i] != 1)
            return import_unsupported(t, "has windows that overlap, or padding");
    }
    int64_t volume = shape_volume_range(&out, 2, out.rank);
    divide(t, convert(t, index, ONNX_FLOAT), (double)volume, &index);
    for (int i = 0; i < w.count; i++) {
        volume /= out.extent[2 + i];
        struct imported *at = divide(t, index, (double)volume, &index);
        at = op2(t, OP_sub, at, along(t, &x->shape, 2 + i, (struct line){0, (double)w.stride[i]}));
        tap = tap ? op2(t, OP_add, op2(t, OP_mul, tap, literal(t, (double)w.size[i])), at) : at;
    }
    tap = convert(t, tap, ONNX_INT64);
    set_pool(t, &w, "constant");
    set_integers(t, "output_shape", out.extent, out.rank);
    return op2(t, OP_desample, x, tap);
}

static struct imported *sums(struct translation *t, const struct window *w, struct imported *x)
{
    set_pool(t, w, "constant");
    return op1(t, OP_box, x);
}

/* Cells that count are those of the input and of its padding, as far as that was asked for. */
static struct imported *counted_average(struct translation *t, struct window *w)
{
    struct shape shape = input_at(t, 0)->shape;
    struct window inner = *w;
    int64_t pads[2 * MAX_RANK] = {0};
    struct tensor *items;

    if (!read_list(t, "pads", 2 * w->count, -ITEM_MAX, pads))
        return NULL;
    shape.extent[0] = shape.extent[1] = 1;
    for (int i = 0; i < w->count; i++) {
        shape.extent[2 + i] += pads[i] + pads[w->count + i];
        inner.pad[i][0] = 0;
        inner.pad[i][1] -= pads[w->count + i];
    }
    struct imported *ones = known_new(t, ONNX_FLOAT, &shape, &items);
    for (int64_t i = 0, n = ones ? shape_volume(&shape) : 0; i < n; i++)
        ((float *)items->data)[i] = 1;
    return op2(t, OP_div, sums(t, w, input_at(t, 0)), sums(t, &inner, ones));
}

struct imported *import_average_pool(struct translation *t)
{
    bool all = get_int(t, "count_include_pad", 0);
    struct window w;

    if (!pool_window(t, &w))
        return NULL;
    if (all && w.sticks_out)
        return counted_average(t, &w);
    set_pool(t, &w, all ? "constant" : "ignore");
    return op1(t, OP_avg_pool, input_at(t, 0));
}

/* (sum of |x|^p)^(1/p) */
static struct imported *raise(struct translation *t, struct imported *x, double power)
{
    if (power >= 1 && power <= 1)
        return op1(t, OP_abs, x);
    if (power >= 2 && power <= 2)
        return op1(t, OP_sqr, x);
    return op2(t, OP_pow, op1(t, OP_abs, x), literal(t, power));
}

static struct imported *root(struct translation *t, struct imported *x, double power)
{
    if (power >= 1 && power <= 1)
        return x;
    return power >= 2 && power <= 2 ? op1(t, OP_sqrt, x) : op2(t, OP_pow, x, literal(t, 1 / power));
}

struct imported *import_lp_pool(struct translation *t)
{
    double power = t->opset < 2 ? get_float(t, "p", 2) : (double)get_int(t, "p", 2);
    struct window w;

    if (!pool_window(t, &w))
        return NULL;
    return root(t, sums(t, &w, raise(t, input_at(t, 0), power)), power);
}

/* --- over all of an image ------------------------------------------------------------------ */

static struct integers spatial_axes(struct translation *t)
{
    int64_t *axes = import_alloc(t, MAX_RANK, sizeof *axes);
    int rank = input_at(t, 0)->shape.rank;

    for (int i = 2; i < rank; i++)
        axes[i - 2] = i;
    return (struct integers){rank > 2 ? rank - 2 : 0, axes};
}

struct imported *import_global_average_pool(struct translation *t)
{
    struct integers axes = spatial_axes(t);

    return reduce(t, OP_mean_reduce, input_at(t, 0), &axes);
}

struct imported *import_global_max_pool(struct translation *t)
{
    struct integers axes = spatial_axes(t);

    return reduce(t, OP_max_reduce, input_at(t, 0), &axes);
}

struct imported *import_global_lp_pool(struct translation *t)
{
    double power = (double)get_int(t, "p", 2);
    struct integers axes = spatial_axes(t);

    return root(t, reduce(t, OP_sum_reduce, raise(t, input_at(t, 0), power), &axes), power);
}

/* x / (bias + alpha * mean of squares across channels) ^ beta */
struct imported *import_lrn(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    int64_t size[MAX_RANK], stride[MAX_RANK], pad[MAX_RANK][2] = {{0}};
    int64_t channels = get_int(t, "size", 1);

    if (x->shape.rank < 2 || channels < 1) {
        import_error(t, DIAG_ONNX_GRAPH,
                     "has an input of rank %d and size %" PRId64
                     ", expected a rank of 2 or more and a positive size",
                     x->shape.rank, channels);
        return NULL;
    }
    for (int i = 0; i < x->shape.rank; i++)
        size[i] = stride[i] = 1;
    size[1] = channels;
    pad[1][0] = (channels - 1) / 2;
    pad[1][1] = channels - 1 - pad[1][0];
    struct imported *squares = op1(t, OP_sqr, x);
    set_integers(t, "size", size, x->shape.rank);
    set_pairs(t, "padding", (const int64_t(*)[2])pad, x->shape.rank);
    set_integers(t, "stride", stride, x->shape.rank);
    set_integers(t, "dilation", stride, x->shape.rank);
    set_logical(t, "normalize", true);
    struct imported *power = op1(t, OP_box, squares);
    struct imported *base = op2(t, OP_add, literal(t, get_float(t, "bias", 1)),
                                op2(t, OP_mul, power, literal(t, get_float(t, "alpha", 1e-4))));
    return op2(t, OP_div, x, op2(t, OP_pow, base, literal(t, get_float(t, "beta", 0.75))));
}
