/*
 * convert_window.c - convolutions, pools and interpolation, of one to three spatial dimensions
 *
 * PyTorch pads as many items in front as behind; convert/onnx/window.h lays the windows.
 */
#include "convert/onnx/window.h"
#include "convert/pnnx/convert.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SPATIAL_MAX = 3, ITEM_MAX = 1 << 28 };

/* "nn.Conv2d" has 2. */
static int dimensions_of(const struct pnnx_call *c)
{
    size_t size = strlen(c->op->type);
    char digit = size > 1 ? c->op->type[size - 2] : '0';

    return digit >= '1' && digit <= '3' ? digit - '0' : 1;
}

/* A single number stands for all dimensions; an empty list is none. */
static bool read_list(struct pnnx_call *c, const char *key, int count, int64_t otherwise,
                      struct integers *to)
{
    int64_t *all = import_alloc(&c->t, count, sizeof *all);
    struct integers items;
    bool given = arg_ints(c, key, &items) && items.count > 0;

    assert(count <= SPATIAL_MAX);
    if (given && items.count != count && items.count != 1)
        return import_error(&c->t, DIAG_ITEM_COUNT, "has a parameter '%s' of %d items, expected %d",
                            key, items.count, count);
    for (int i = 0; i < count; i++) {
        all[i] = !given ? otherwise : items.item[items.count == 1 ? 0 : i];
        if (all[i] < -ITEM_MAX || all[i] > ITEM_MAX)
            return import_error(&c->t, DIAG_ITEM_VALUE, "has %" PRId64 " as '%s'", all[i], key);
    }
    *to = (struct integers){count, all};
    return !c->t.failed;
}

/* Strides and dilations of convolutions and pools. */
static bool read_windows(struct pnnx_call *c, int count, struct window_lists *w)
{
    return read_list(c, "stride", count, 1, &w->stride) &&
           read_list(c, "dilation", count, 1, &w->dilation);
}

/* PyTorch has one number for both ends of a dimension. */
static bool read_padding(struct pnnx_call *c, int count, struct window_lists *w)
{
    int64_t *pads = import_alloc(&c->t, 2L * count, sizeof *pads);
    struct integers padding = {0};

    if (!read_list(c, "padding", count, 0, &padding))
        return false;
    for (int i = 0; i < 2 * padding.count; i++)
        pads[i] = padding.item[i % padding.count];
    w->pads = (struct integers){2 * count, pads};
    return true;
}

/* A batch of one is added where there is none. */
static struct imported *batch(struct pnnx_call *c, struct imported *x, int dimensions)
{
    return x && x->shape.rank == dimensions + 1 ? unsqueeze_at(&c->t, x, 0) : x;
}

/* The batch that batch() added is taken away again. */
static struct imported *unbatch(struct pnnx_call *c, const struct imported *x,
                                struct imported *result)
{
    return result && x->shape.rank < result->shape.rank ? squeeze_at(&c->t, result, 0) : result;
}

/* --- convolutions --------------------------------------------------------------------------- */

/* Without padding, or with such that nothing but the stride makes the result smaller. */
static bool automatic_padding(struct pnnx_call *c, int count, const struct imported *filter,
                              struct window_lists *w)
{
    const char *how = arg_text(c, "padding", "");
    int64_t *pads = import_alloc(&c->t, 2L * count, sizeof *pads);

    w->pads = (struct integers){2 * count, pads};
    if (strcmp(how, "valid") == 0)
        return true;
    if (strcmp(how, "same") != 0)
        return import_error(&c->t, DIAG_PNNX_VALUE, "has padding '%s', expected 'same' or 'valid'",
                            how);
    for (int i = 0; i < count; i++) {
        int64_t total = w->dilation.item[i] * (filter->shape.extent[2 + i] - 1);
        pads[i] = total / 2;
        pads[count + i] = total - total / 2;
    }
    return true;
}

/* Variant 1 is transposed. */
struct imported *convert_conv(struct pnnx_call *c, struct imported *input)
{
    struct imported *filter = weight_or_input(c, "weight", 1);
    const struct pnnx_pair *padding = pnnx_find(c->op, PNNX_PARAM, "padding");
    struct imported *bias = weight_or_option(c, "bias");
    struct window_lists w = {0};
    int count = dimensions_of(c);
    bool named = padding && padding->value->kind == PNNX_TEXT;

    if (!filter || !read_windows(c, count, &w))
        return NULL;
    if (filter->shape.rank != count + 2)
        return import_unsupported(&c->t, "has a filter of rank %d, expected %d", filter->shape.rank,
                                  count + 2);
    if (!(named ? automatic_padding(c, count, filter, &w) : read_padding(c, count, &w)))
        return NULL;

    /* Padding by other items than 0 comes before the convolution, which reports another rank. */
    struct imported *x = batch(c, input, count);
    const char *mode = arg_text(c, "padding_mode", "zeros");
    if (strcmp(mode, "zeros") != 0 && x && x->shape.rank == count + 2) {
        int64_t pads[MAX_RANK][2] = {{0}};
        for (int i = 0; i < 2 * count; i++)
            pads[2 + i % count][i / count] = w.pads.item[i];
        w.pads.item = import_alloc(&c->t, 2L * count, sizeof *w.pads.item);
        x = pad_by_mode(c, x, (const int64_t(*)[2])pads, mode);
    }
    w.groups = arg_int(c, "groups", 1);
    w.transposed = c->row->variant == 1;
    if ((w.transposed && !read_list(c, "output_padding", count, 0, &w.more)) || c->t.failed)
        return NULL;
    return unbatch(c, input, build_conv(&c->t, x, filter, bias, &w));
}

/* There are two offsets for each tap of each group of channels. */
struct imported *convert_deform_conv(struct pnnx_call *c, struct imported *x)
{
    struct deforming conv = {.x = x,
                             .filter = weight_named(c, "weight"),
                             .bias = weight_named(c, "bias"),
                             .offset = tensor_named(c, "offset", 1),
                             .mask = tensor_option(c, "mask")};
    struct window_lists w = {.groups = arg_int(c, "groups", 1)};

    if (!conv.mask && c->op->nin > 2)
        conv.mask = tensor_at(c, 2);
    if (!conv.filter)
        return c->t.failed ? NULL
                           : import_refuse(&c->t, DIAG_PNNX_VALUE, "has no attribute 'weight'");
    if (!conv.offset || !read_windows(c, 2, &w) || !read_padding(c, 2, &w))
        return NULL;
    const struct shape *filter = &conv.filter->shape, *offset = &conv.offset->shape;
    int64_t taps = filter->rank == 4 ? filter->extent[2] * filter->extent[3] : 0;
    if (taps == 0 || offset->rank != 4)
        return import_refuse(&c->t, DIAG_RANK, "has a filter of shape %s and offsets of shape %s",
                             SHAPE_TEXT(filter), SHAPE_TEXT(offset));
    conv.offset_groups = offset->extent[1] / (2 * taps);
    return build_deform_conv(&c->t, &conv, &w);
}

/* --- pools ---------------------------------------------------------------------------------- */

/* The input with a batch, and its windows; by default strides are the size of the window. */
static struct imported *read_pool(struct pnnx_call *c, struct imported *input,
                                  struct window_lists *w)
{
    int count = dimensions_of(c);
    struct imported *x = batch(c, input, count);
    struct integers stride;

    *w = (struct window_lists){0};
    if (!x || !read_list(c, "kernel_size", count, 1, &w->size) || !read_windows(c, count, w) ||
        !read_padding(c, count, w))
        return NULL;
    if (!has_arg(c, "stride") || (arg_ints(c, "stride", &stride) && stride.count == 0))
        w->stride = w->size;
    w->ceil_mode = arg_flag(c, "ceil_mode", false);
    return c->t.failed ? NULL : x;
}

/*
 * Indices are computed only if an operator reads them. They count the items of an image and
 * channel, where those of ONNX count all items.
 */
struct imported *convert_max_pool(struct pnnx_call *c, struct imported *input)
{
    bool indexed = c->op->nout > 1 && c->op->out[1]->uses > 0;
    struct window_lists w;
    struct imported *index = NULL;

    struct imported *x = read_pool(c, input, &w);
    struct imported *most = x ? build_max_pool(&c->t, x, &w, indexed ? &index : NULL) : NULL;
    if (indexed && most) {
        struct imported *volume =
            known_integer(&c->t, shape_volume_range(&x->shape, 2, x->shape.rank), ONNX_INT64);
        set_output(&c->t, 1, unbatch(c, input, modulo(&c->t, index, volume, false)));
    }
    return unbatch(c, input, most);
}

/* Cells of the padding count by default; those beyond it never do. */
struct imported *convert_avg_pool(struct pnnx_call *c, struct imported *input)
{
    bool counted = arg_flag(c, "count_include_pad", true);
    struct window_lists w;
    struct imported *x = read_pool(c, input, &w);

    if (x && has_arg(c, "divisor_override"))
        return import_unsupported(&c->t, "divides sums by another number than that of items");
    return unbatch(c, input, build_average_pool(&c->t, x, &w, counted));
}

/*
 * (n * mean of x^p)^(1/p) of each window of n cells, as PyTorch computes it: an odd power keeps the
 * sign, and a last window that sticks out counts as if it were whole.
 */
struct imported *convert_lp_pool(struct pnnx_call *c, struct imported *input)
{
    double power = arg_real(c, "norm_type", 2), cells = 1;
    const bool first = power >= 1 && power <= 1, second = power >= 2 && power <= 2;
    struct window_lists w;
    struct imported *x = read_pool(c, input, &w);

    for (int i = 0; i < w.size.count; i++)
        cells *= (double)w.size.item[i];
    if (!first)
        x = second ? op1(&c->t, OP_sqr, x) : op2(&c->t, OP_pow, x, literal(&c->t, power));
    x = build_average_pool(&c->t, x, &w, true);
    x = op2(&c->t, OP_mul, x, literal(&c->t, cells));
    if (!first)
        x = second ? op1(&c->t, OP_sqrt, x) : op2(&c->t, OP_pow, x, literal(&c->t, 1 / power));
    return unbatch(c, input, x);
}

/* --- pools by the number of results --------------------------------------------------------- */

/* Window i of `to` reaches from the item that its share begins in to the one that it ends in. */
static int64_t share_begin(int64_t i, int64_t from, int64_t to)
{
    assert(to > 0 && i <= to);
    return i * from / to;
}

/* Rounded up: neighbouring shares overlap if the extent is no multiple of their number. */
static int64_t share_end(int64_t i, int64_t from, int64_t to)
{
    assert(to > 0 && i < to);
    return ((i + 1) * from + to - 1) / to;
}

/* Shares may differ in size, so each result has its own row of weights. */
static struct imported *average_shares(struct pnnx_call *c, struct imported *x, int axis,
                                       int64_t to)
{
    int64_t from = x->shape.extent[axis];
    struct shape shape = {.rank = 2, .extent = {to, from}};
    struct tensor *items;
    struct imported *weights = known_new(&c->t, ONNX_FLOAT, &shape, &items);

    for (int64_t i = 0; weights && i < to; i++) {
        int64_t begin = share_begin(i, from, to), end = share_end(i, from, to);
        for (int64_t k = begin; k < end; k++)
            ((float *)items->data)[i * from + k] = 1 / (float)(end - begin);
    }
    return weigh_axis(&c->t, x, axis, weights);
}

/* A maximum cannot be weighed: each share is a slice and a reduction. */
static struct imported *greatest_shares(struct pnnx_call *c, struct imported *x, int axis,
                                        int64_t to)
{
    int64_t from = x->shape.extent[axis];
    struct imported **parts = import_alloc(&c->t, to, sizeof(struct imported *));

    for (int64_t i = 0; i < to && !c->t.failed; i++)
        parts[i] = reduce_at(
            &c->t, OP_max_reduce,
            slice_at(&c->t, x, axis, share_begin(i, from, to), share_end(i, from, to)), axis);
    return c->t.failed ? NULL : join(&c->t, parts, (int)to, axis);
}

/* None stands for as many as there are. */
static bool output_size(struct pnnx_call *c, const struct imported *x, int count, int64_t *to)
{
    const struct pnnx_pair *param = pnnx_find(c->op, PNNX_PARAM, "output_size");
    const struct pnnx_value *item = param ? param->value->first : NULL;
    struct integers sizes = {0};

    if (!item || param->value->count == 1) {
        if (!read_list(c, "output_size", count, 0, &sizes))
            return false;
    } else if (param->value->count != count) {
        return import_error(&c->t, DIAG_ITEM_COUNT, "asks for %d extents, expected %d",
                            param->value->count, count);
    }
    for (int i = 0; i < count; i++) {
        int64_t from = x->shape.extent[x->shape.rank - count + i];
        to[i] = sizes.count ? sizes.item[i] : 0;
        if (item && param->value->count == count) {
            to[i] = item->kind == PNNX_NONE ? from : item->integer;
            item = item->next;
        }
        if (to[i] < 1 || to[i] > ITEM_MAX)
            return import_error(&c->t, DIAG_EXTENT, "asks for extent %" PRId64, to[i]);
    }
    return true;
}

/* The variant is the reduction. */
struct imported *convert_adaptive_pool(struct pnnx_call *c, struct imported *x)
{
    enum op_id op = (enum op_id)c->row->variant;
    int count = dimensions_of(c);
    int64_t to[SPATIAL_MAX] = {0};

    if (x->shape.rank < count || !output_size(c, x, count, to))
        return c->t.failed ? NULL
                           : import_unsupported(&c->t, "has an input of rank %d", x->shape.rank);
    for (int i = 0; i < count && x; i++) {
        int axis = x->shape.rank - count + i;
        if (to[i] == 1)
            x = reduce_at(&c->t, op, x, axis);
        else if (to[i] != x->shape.extent[axis])
            x = op == OP_mean_reduce ? average_shares(c, x, axis, to[i])
                                     : greatest_shares(c, x, axis, to[i]);
    }
    return x;
}

/* --- interpolation -------------------------------------------------------------------------- */

/*
 * PNNX writes factors with seven digits: 0.6666667 may be 2/3, for which PyTorch takes other items
 * at ties.  The simplest fraction that is written like `scale`, or else `scale` itself.
 */
static double written_fraction(double scale)
{
    enum { DENOMINATOR_MAX = 300 };
    const double half_digit = 5e-7 * pow(10, floor(log10(scale)));
    double rest = scale, above = 1, below = 0, last_above = 0, last_below = 1;

    for (;;) { /* one convergent of the continued fraction after the other */
        double whole = floor(rest), next_above = whole * above + last_above;
        double next_below = whole * below + last_below;
        if (!(next_below <= DENOMINATOR_MAX))
            return scale;
        if (fabs(next_above / next_below - scale) <= half_digit)
            return next_above / next_below;
        last_above = above;
        last_below = below;
        above = next_above;
        below = next_below;
        rest = 1 / (rest - whole);
    }
}

/* The extent that the file says of an operand; PNNX_ANY if it does not. */
static int64_t declared_extent(const struct pnnx_operand *operand, int axis)
{
    const struct pnnx_shape *shape = operand->shape;

    return shape && axis < shape->rank ? shape->dim[axis].extent : PNNX_ANY;
}

/*
 * PyTorch rounds the product of doubles down, and multiplies coordinates by the reciprocal.  Of the
 * numbers that a factor may stand for, the extent that the file declares tells which is meant.
 */
static bool scale_axis(struct pnnx_call *c, struct resized_axis *a, int axis, double scale)
{
    const double from = (double)a->from;
    double meant = scale > 0 ? written_fraction(scale) : scale;
    bool same_input = declared_extent(c->op->in[0], axis) == a->from;
    int64_t declared = same_input ? declared_extent(c->op->out[0], axis) : PNNX_ANY;

    if (!(from * meant >= 1 && from * meant < ITEM_MAX))
        return import_error(&c->t, DIAG_ITEM_VALUE, "scales extent %" PRId64 " by %g", a->from,
                            scale);
    if (declared != (int64_t)(from * meant) && declared == (int64_t)(from * scale))
        meant = scale;
    if (!resize_axis_to(&c->t, a, (int64_t)(from * meant)))
        return false;
    if (!arg_flag(c, "recompute_scale_factor", false)) {
        a->scale = (float)meant;
        a->step = (float)(1 / meant);
    }
    return true;
}

/* Where an item of the result lies in the input. */
static void read_modes(struct pnnx_call *c, struct resize *r)
{
    const char *type = c->op->type;
    const char *mode = arg_text(c, "mode", strstr(type, "ilinear") ? "bilinear" : "nearest");
    bool exact = strcmp(mode, "nearest-exact") == 0, near = exact || strcmp(mode, "nearest") == 0;
    bool old = strstr(type, "Bilinear2d") || strstr(type, "upsample_bilinear");
    bool corners = !near && arg_flag(c, "align_corners", old);

    r->mode = near ? RESIZE_NEAREST : strstr(mode, "cubic") ? RESIZE_CUBIC : RESIZE_LINEAR;
    r->transform = exact     ? RESIZE_TF_HALF_PIXEL
                   : near    ? RESIZE_ASYMMETRIC
                   : corners ? RESIZE_ALIGN_CORNERS
                             : RESIZE_HALF_PIXEL;
    r->rounding = RESIZE_FLOOR;
    r->antialias = !near && arg_flag(c, "antialias", false);
    if (r->antialias) { /* as Pillow does */
        r->exclude = true;
        r->cubic = -0.5;
    }
}

/* Sizes or scales of all spatial dimensions, or one for all of them. */
struct imported *convert_resize(struct pnnx_call *c, struct imported *x)
{
    struct integers size = {0};
    const double *scales = NULL;
    int count = 0;
    bool ok = true;

    bool by_size = arg_ints(c, "size", &size);
    bool given = by_size || arg_reals(c, "scale_factor", &scales, &count);
    count = by_size ? size.count : count;
    if (!given || (count != 1 && count != x->shape.rank - 2) || x->shape.rank < 3)
        return c->t.failed ? NULL
                           : import_unsupported(&c->t, "has %d sizes or scales for shape %s", count,
                                                SHAPE_TEXT(&x->shape));
    struct resize r = resize_nothing(&x->shape);
    read_modes(c, &r);
    for (int i = 2; i < r.rank && ok; i++) {
        struct resized_axis *a = &r.axis[i];
        int at = count == 1 ? 0 : i - 2;
        if (by_size && size.item[at] < 1) /* where ONNX has results without items */
            return import_refuse(&c->t, DIAG_EXTENT, "asks for extent %" PRId64, size.item[at]);
        ok = by_size ? resize_axis_to(&c->t, a, size.item[at]) : scale_axis(c, a, i, scales[at]);
        if (ok && !(a->step > 0))
            a->step = (float)a->from / (float)a->to;
    }
    return ok && !c->t.failed ? resize_by(&c->t, x, &r) : NULL;
}
