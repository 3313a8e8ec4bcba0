/* convert_window.c - convolutions and pools, of one to three dimensions */
#include "convert/pnnx/convert_functions.h"

#include <inttypes.h>
#include <string.h>

enum { SPATIAL_MAX = 3, ITEM_MAX = 1 << 28 };

/* What windows do, for each spatial dimension. */
struct windows {
    int count; /* dimensions */
    int64_t size[SPATIAL_MAX], stride[SPATIAL_MAX], dilation[SPATIAL_MAX];
    int64_t pad[2 * SPATIAL_MAX]; /* in front of all, then behind */
};

/* "nn.Conv2d" has 2. */
static int dimensions_of(const struct say *s)
{
    size_t size = strlen(s->op->type);
    char digit = size > 1 ? s->op->type[size - 2] : '0';

    return digit >= '1' && digit <= '3' ? digit - '0' : 1;
}

/* A single number stands for all dimensions; an empty list is none. */
static bool read_list(struct say *s, const char *key, int count, int64_t otherwise, int64_t *to)
{
    struct integers items;
    bool given = say_ints(s, key, &items) && items.count > 0;

    if (given && items.count != count && items.count != 1)
        return import_error(&s->t, DIAG_ITEM_COUNT, "has a parameter '%s' of %d items, expected %d",
                            key, items.count, count);
    for (int i = 0; i < count; i++) {
        to[i] = !given ? otherwise : items.item[items.count == 1 ? 0 : i];
        if (to[i] < -ITEM_MAX || to[i] > ITEM_MAX)
            return import_error(&s->t, DIAG_ITEM_VALUE, "has %" PRId64 " as '%s'", to[i], key);
    }
    return !s->t.failed;
}

static bool read_windows(struct say *s, struct windows *w)
{
    return read_list(s, "stride", w->count, 1, w->stride) &&
           read_list(s, "dilation", w->count, 1, w->dilation);
}

/* As many items in front as behind. */
static bool read_padding(struct say *s, struct windows *w)
{
    if (!read_list(s, "padding", w->count, 0, w->pad))
        return false;
    memcpy(w->pad + w->count, w->pad, (size_t)w->count * sizeof *w->pad);
    return true;
}

static void put_windows(struct say *s, const struct windows *w)
{
    node_ints(s, "strides", w->stride, w->count);
    node_ints(s, "dilations", w->dilation, w->count);
    node_ints(s, "pads", w->pad, 2 * w->count);
}

/* A batch of one is added where there is none. */
static struct imported *batch(struct say *s, struct imported *x, int dimensions)
{
    return x && x->shape.rank == dimensions + 1 ? unsqueeze_at(&s->t, x, 0) : x;
}

static struct imported *unbatch(struct say *s, const struct imported *x, struct imported *result)
{
    return result && x->shape.rank < result->shape.rank ? squeeze_at(&s->t, result, 0) : result;
}

/* --- convolutions --------------------------------------------------------------------------- */

/* Where there is no padding, or it is such that nothing but the stride makes the result smaller. */
static bool automatic_padding(struct say *s, struct windows *w, const struct imported *filter)
{
    const char *how = say_text(s, "padding", "");

    if (strcmp(how, "valid") == 0)
        return true;
    if (strcmp(how, "same") != 0)
        return import_error(&s->t, DIAG_PNNX_VALUE, "has padding '%s', expected 'same' or 'valid'",
                            how);
    for (int i = 0; i < w->count; i++) {
        int64_t total = w->dilation[i] * (filter->shape.extent[2 + i] - 1);
        w->pad[i] = total / 2;
        w->pad[w->count + i] = total - total / 2;
    }
    return true;
}

static bool has_text(struct say *s, const char *key)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, key);

    return param && param->value->kind == PNNX_TEXT;
}

/* Padding by other items than 0 comes before the convolution, which reports another rank. */
static struct imported *pad_before(struct say *s, struct imported *x, struct windows *w)
{
    const char *mode = say_text(s, "padding_mode", "zeros");
    int64_t pads[4 + 2 * SPATIAL_MAX] = {0};

    if (strcmp(mode, "zeros") == 0 || !x || x->shape.rank != w->count + 2)
        return x;
    for (int i = 0; i < w->count; i++) {
        pads[2 + i] = w->pad[i];
        pads[4 + w->count + i] = w->pad[w->count + i];
    }
    memset(w->pad, 0, sizeof w->pad);
    return say_pad(s, x, pads, mode);
}

static struct imported *convolution(struct say *s, const char *type, struct windows *w)
{
    struct imported *input = say_argument(s, "input", 0), *filter = say_weight(s, "weight");
    struct imported *bias = say_weight(s, "bias");

    filter = filter ? filter : say_argument(s, "weight", 1);
    bias = bias ? bias : say_option(s, "bias");
    w->count = dimensions_of(s);
    if (!input || !filter || !read_windows(s, w))
        return NULL;
    if (filter->shape.rank != w->count + 2)
        return say_refuse(s, "has a filter of rank %d, expected %d", filter->shape.rank,
                          w->count + 2);
    if (!(has_text(s, "padding") ? automatic_padding(s, w, filter) : read_padding(s, w)))
        return NULL;
    struct imported *x = pad_before(s, batch(s, input, w->count), w);
    say_begin(s, type);
    put_windows(s, w);
    node_int(s, "group", say_int(s, "groups", 1));
    if (strcmp(type, "ConvTranspose") == 0) {
        int64_t more[SPATIAL_MAX];
        if (!read_list(s, "output_padding", w->count, 0, more))
            return NULL;
        node_ints(s, "output_padding", more, w->count);
    }
    return unbatch(s, input, say_end(s, (struct imported *[]){x, filter, bias}, 3, NULL, 1));
}

struct imported *say_conv(struct say *s)
{
    struct windows w = {0};

    return convolution(s, "Conv", &w);
}

struct imported *say_conv_transpose(struct say *s)
{
    struct windows w = {0};

    return convolution(s, "ConvTranspose", &w);
}

/* --- pools ---------------------------------------------------------------------------------- */

/* Strides are those of the window unless told. */
static bool read_pool(struct say *s, struct windows *w)
{
    if (!read_list(s, "kernel_size", w->count, 1, w->size) || !read_windows(s, w) ||
        !read_padding(s, w))
        return false;
    struct integers stride;
    if (!say_has(s, "stride") || (say_ints(s, "stride", &stride) && stride.count == 0))
        memcpy(w->stride, w->size, sizeof w->size);
    return !s->t.failed;
}

static void put_pool(struct say *s, const struct windows *w)
{
    node_ints(s, "kernel_shape", w->size, w->count);
    put_windows(s, w);
    node_int(s, "ceil_mode", say_flag(s, "ceil_mode", false));
}

/* Indices are those within an image, where ONNX has them within the whole. */
static struct imported *within_image(struct say *s, const struct imported *x,
                                     struct imported *index)
{
    struct shape single = {0};
    struct tensor *items;
    struct imported *volume = known_new(&s->t, ONNX_INT64, &single, &items);

    if (!volume)
        return NULL;
    *(int64_t *)items->data = shape_volume_range(&x->shape, 2, x->shape.rank);
    return say2(s, "Mod", index, volume);
}

struct imported *say_max_pool(struct say *s)
{
    struct imported *input = say_argument(s, "input", 0), *out[2] = {NULL};
    struct windows w = {.count = dimensions_of(s)};
    bool indexed = s->op->nout > 1 && s->op->out[1]->uses > 0;

    struct imported *x = batch(s, input, w.count);
    if (!x || !read_pool(s, &w))
        return NULL;
    say_begin(s, "MaxPool");
    put_pool(s, &w);
    say_end(s, &x, 1, out, indexed ? 2 : 1);
    if (indexed)
        set_output(&s->t, 1, unbatch(s, input, within_image(s, x, out[1])));
    return unbatch(s, input, out[0]);
}

struct imported *say_avg_pool(struct say *s)
{
    struct imported *input = say_argument(s, "input", 0);
    struct windows w = {.count = dimensions_of(s)};
    struct imported *x = batch(s, input, w.count);

    if (!x || !read_pool(s, &w))
        return NULL;
    if (say_has(s, "divisor_override"))
        return say_refuse(s, "divides sums by another number than that of items");
    say_begin(s, "AveragePool");
    put_pool(s, &w);
    node_int(s, "count_include_pad", say_flag(s, "count_include_pad", true));
    return unbatch(s, input, say_end1(s, x));
}

struct imported *say_lp_pool(struct say *s)
{
    struct imported *input = say_argument(s, "input", 0);
    struct windows w = {.count = dimensions_of(s)};
    struct imported *x = batch(s, input, w.count);

    if (!x || !read_pool(s, &w))
        return NULL;
    say_begin(s, "LpPool");
    put_pool(s, &w);
    node_int(s, "p", say_int(s, "norm_type", 2));
    return unbatch(s, input, say_end1(s, x));
}

/* --- as many results as are asked for -------------------------------------------------------- */

/* Window i of `to` begins at the item that its share begins in, and ends with the one that that ends in. */
static int64_t share_begin(int64_t i, int64_t from, int64_t to)
{
    return i * from / to;
}

static int64_t share_end(int64_t i, int64_t from, int64_t to)
{
    return ((i + 1) * from + to - 1) / to;
}

static struct imported *average_shares(struct say *s, struct imported *x, int axis, int64_t to)
{
    int64_t from = x->shape.extent[axis];
    struct shape shape = {.rank = 2, .extent = {to, from}};
    struct tensor *items;
    struct imported *weights = known_new(&s->t, ONNX_FLOAT, &shape, &items);

    for (int64_t i = 0; weights && i < to; i++) {
        int64_t begin = share_begin(i, from, to), end = share_end(i, from, to);
        for (int64_t k = begin; k < end; k++)
            ((float *)items->data)[i * from + k] = 1 / (float)(end - begin);
    }
    return weigh_axis(&s->t, x, axis, weights);
}

static struct imported *greatest_shares(struct say *s, struct imported *x, int axis, int64_t to)
{
    int64_t from = x->shape.extent[axis];
    struct imported **parts = import_alloc(&s->t, to, sizeof(struct imported *));

    for (int64_t i = 0; i < to && !s->t.failed; i++)
        parts[i] = reduce_at(
            &s->t, OP_max_reduce,
            slice_at(&s->t, x, axis, share_begin(i, from, to), share_end(i, from, to)), axis);
    return s->t.failed ? NULL : join(&s->t, parts, (int)to, axis);
}

/* None stands for as many as there are. */
static bool output_size(struct say *s, const struct imported *x, int count, int64_t *to)
{
    const struct pnnx_param *param = pnnx_param_of(s->op, "output_size");
    const struct pnnx_value *item = param ? param->value->first : NULL;

    if (!item || param->value->count == 1) {
        if (!read_list(s, "output_size", count, 0, to))
            return false;
    } else if (param->value->count != count) {
        return import_error(&s->t, DIAG_ITEM_COUNT, "asks for %d extents, expected %d",
                            param->value->count, count);
    }
    for (int i = 0; i < count; i++) {
        int64_t from = x->shape.extent[x->shape.rank - count + i];
        if (item && param->value->count == count) {
            to[i] = item->kind == PNNX_NONE ? from : item->integer;
            item = item->next;
        }
        if (to[i] < 1 || to[i] > ITEM_MAX)
            return import_error(&s->t, DIAG_EXTENT, "asks for extent %" PRId64, to[i]);
    }
    return true;
}

static struct imported *adapt(struct say *s, bool average)
{
    int count = dimensions_of(s);
    struct imported *x = say_argument(s, "input", 0);
    int64_t to[SPATIAL_MAX] = {0};

    if (!x || x->shape.rank < count || !output_size(s, x, count, to))
        return x && !s->t.failed ? say_refuse(s, "has an input of rank %d", x->shape.rank) : NULL;
    for (int i = 0; i < count && x; i++) {
        int axis = x->shape.rank - count + i;
        if (to[i] == 1)
            x = reduce_at(&s->t, average ? OP_mean_reduce : OP_max_reduce, x, axis);
        else if (to[i] != x->shape.extent[axis])
            x = average ? average_shares(s, x, axis, to[i]) : greatest_shares(s, x, axis, to[i]);
    }
    return x;
}

struct imported *say_adaptive_avg_pool(struct say *s)
{
    return adapt(s, true);
}

struct imported *say_adaptive_max_pool(struct say *s)
{
    return adapt(s, false);
}
