/*
 * resize.c - up and down-sampling by whole factors (section 4.3.4)
 *
 * Batch and channels stay, items of 'factor' belong to the spatial dimensions.
 * nearest_downsample:   output[i] = input[i * factor]
 * area_downsample:      the mean of the factor items that become one
 * nearest_upsample:     output[i] = input[i / factor], rounded down
 * multilinear_upsample: weighs the neighbours of coordinate i / factor (asymmetric),
 *     (i - (factor - 1) / 2) / factor (symmetric), or i * (x - 1) / (x * factor - 1) (aligned)
 */
#include "op/box.h"
#include "op/check.h"
#include "op/interpolate.h"
#include "op/onnx_window.h"
#include "op/remap.h"
#include "op/share.h"

#include "base/num.h"

#include <inttypes.h>

struct resize_attrs {
    struct integers factor;
    int method, border;
};

#define RESIZE_FACTOR                                                        \
    {                                                                        \
        OP_ATTR(resize_attrs, factor), .kind = ATTR_INTEGERS, OP_AT_LEAST(1) \
    }

static const struct op_attr nearest_fields[] = {RESIZE_FACTOR, {0}};

static const struct op_attr multilinear_fields[] = {
    RESIZE_FACTOR,
    {OP_ATTR(resize_attrs, method), .kind = ATTR_ENUM, .names = resize_method_names},
    {OP_ATTR(resize_attrs, border), .kind = ATTR_ENUM, .names = border_names_filled},
    {0},
};

/* 1 for batch and channels, and where the provisional dialect may be short. */
static int64_t factor_of(const struct resize_attrs *attrs, int axis)
{
    return axis < 2 ? 1 : integers_at(&attrs->factor, axis - 2);
}

/* --- shapes ----------------------------------------------------------------------------- */

static bool check_factors(const struct infer *infer, struct shape *out)
{
    const struct resize_attrs *attrs = infer->attrs;
    int needed = 2 + attrs->factor.count;

    *out = *infer_in(infer, 0);
    if (!infer->graph->provisional && out->rank < 2)
        return infer_error(infer, "input", DIAG_RANK,
                           "input of '%s' has rank %d, expected batch and channel dimensions",
                           infer_name(infer), out->rank);
    if (!infer->graph->provisional)
        return check_count(infer, "factor", attrs->factor.count, out->rank - 2);
    if (!check_rank_limit(infer, needed))
        return false;
    for (; out->rank < needed; out->rank++)
        out->extent[out->rank] = 1;
    return true;
}

static bool downsample_infer(struct infer *infer)
{
    const struct resize_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];

    if (!check_factors(infer, out))
        return false;
    for (int i = 2; i < out->rank; i++) {
        int64_t factor = factor_of(attrs, i);
        if (out->extent[i] % factor != 0)
            return infer_error(infer, "factor", DIAG_NOT_DIVISIBLE,
                               "factor %" PRId64 " of '%s' does not divide extent %" PRId64
                               " of dimension %d",
                               factor, infer_name(infer), out->extent[i], i);
        out->extent[i] /= factor;
    }
    return true;
}

static bool upsample_infer(struct infer *infer)
{
    const struct resize_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];

    if (!check_factors(infer, out))
        return false;
    for (int i = 2; i < out->rank; i++)
        if (!num_mul(out->extent[i], factor_of(attrs, i), &out->extent[i]))
            return infer_error(infer, "factor", DIAG_VOLUME_LIMIT,
                               "factor %" PRId64 " of '%s' is too large", factor_of(attrs, i),
                               infer_name(infer));
    return true;
}

/* A single item has nothing to be reflected (E21). */
static bool multilinear_infer(struct infer *infer)
{
    const struct resize_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);

    if (!upsample_infer(infer))
        return false;
    if (attrs->border != BORDER_REFLECT || attrs->method == RESIZE_ALIGNED)
        return true;
    for (int i = 2; i < infer->out[0].rank; i++)
        if (shape_extent(input, i) == 1 && factor_of(attrs, i) > 1)
            return infer_error(infer, "border", DIAG_ITEM_VALUE,
                               "border 'reflect' of 'multilinear_upsample' has nothing to reflect "
                               "in dimension %d, expected extent 2 or more",
                               i);
    return true;
}

/* --- kernels ---------------------------------------------------------------------------- */

static int64_t down_coordinate(const void *context, int axis, int64_t i)
{
    return i * factor_of(context, axis);
}

static int64_t up_coordinate(const void *context, int axis, int64_t i)
{
    return i / factor_of(context, axis);
}

static bool nearest_downsample_eval(const struct eval *eval)
{
    struct remap remap = {.coordinate = down_coordinate, .context = eval->attrs};

    return remap_run(eval, &remap);
}

static bool nearest_upsample_eval(const struct eval *eval)
{
    struct remap remap = {.coordinate = up_coordinate, .context = eval->attrs};

    return remap_run(eval, &remap);
}

/* The window of area_downsample. */
static struct window block_of(const struct resize_attrs *attrs, const struct shape *in,
                              const struct shape *out)
{
    static const int64_t none[MAX_RANK][2];
    int64_t factor[MAX_RANK];

    for (int i = 0; i < out->rank; i++)
        factor[i] = factor_of(attrs, i);
    struct window_attrs block = {
        .padding = {out->rank, none}, .size = {out->rank, factor}, .stride = {out->rank, factor}};
    struct window_source source = {.attrs = &block, .input = in, .rank = out->rank};

    return window_of(&source, out);
}

static bool area_downsample_eval(const struct eval *eval)
{
    struct box box = {.window = block_of(eval->attrs, &eval->in[0]->shape, &eval->out[0]->shape),
                      .normalize = true};

    return box_run(eval, &box);
}

/* An output item: the plane it lies in is one of batch * channels. */
static void upsample_item(const void *data, int64_t number)
{
    const struct eval *eval = data;
    float *output = (float *)eval->out[0]->data + number;
    const struct resize_attrs *attrs = eval->attrs;
    const struct shape *in = &eval->in[0]->shape, *out = &eval->out[0]->shape;
    struct neighbours at[MAX_RANK];
    int64_t pitch = 1;

    for (int i = out->rank - 1; i >= 2; i--) {
        int64_t extent = shape_extent(in, i);
        double coordinate =
            resize_coordinate((enum resize_method)attrs->method, number % out->extent[i],
                              (double)extent, out->extent[i]);
        at[i] = neighbours_of(coordinate, (enum border)attrs->border, extent, pitch);
        pitch *= extent;
        number /= out->extent[i];
    }
    *output = (float)interpolate((const float *)eval->in[0]->data + number * pitch, at + 2,
                                 out->rank - 2);
}

static bool multilinear_eval(const struct eval *eval)
{
    eval_share(eval, shape_volume(&eval->out[0]->shape), upsample_item, eval);
    return true;
}

/* --- ONNX ------------------------------------------------------------------------------- */

static bool nearest_downsample_to_onnx(const struct emit *e)
{
    const struct resize_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;
    int64_t axes[MAX_RANK], begin[MAX_RANK] = {0}, end[MAX_RANK], stride[MAX_RANK];
    struct emit_range at = {0, axes, begin, end, stride};

    for (int i = 2; i < rank; i++) {
        axes[at.count] = i;
        end[at.count] = INT64_MAX;
        stride[at.count++] = factor_of(attrs, i);
    }
    emit_slice(e, 0, emit_in_rank(e, 0, rank), &at);
    return true;
}

static bool area_downsample_to_onnx(const struct emit *e)
{
    const struct shape *out = emit_result_shape(e, 0);
    struct window window = block_of(e->attrs, emit_shape(e, 0), out);

    emit_box(e, 0, emit_in_rank(e, 0, out->rank), &window, true);
    return true;
}

/* A window that slides where there is something to enlarge, for its turns and views. */
static struct window enlarged(const struct emit *e)
{
    const struct shape *out = emit_result_shape(e, 0);
    struct window window = {.rank = out->rank, .reverse = true};

    for (int i = 0; i < out->rank; i++) {
        int64_t factor = factor_of(e->attrs, i);
        window.dim[i] = (struct window_dim){.in = shape_extent(emit_shape(e, 0), i),
                                            .out = out->extent[i],
                                            .size = factor,
                                            .stride = factor,
                                            .dilation = 1};
    }
    return window;
}

/* Batch and channel stay. */
static const char *resize(const struct view *view, int result, const char *x, const char *mode)
{
    float scale[MAX_RANK + 2] = {1, 1};
    int count = 2;

    for (int i = 0; i < view->window.rank; i++)
        scale[count++] = (float)view->window.dim[i].size;
    x = emit(view->e, result, "Resize", x, "", emit_along(view->e, scale, count, 0), NULL);
    emit_attr_string(view->e, "mode", mode);
    return x;
}

static const char *repeat_turn(const struct view *view, int result, const char *x)
{
    x = resize(view, result, x, "nearest");
    emit_attr_string(view->e, "coordinate_transformation_mode", "asymmetric");
    emit_attr_string(view->e, "nearest_mode", "floor");
    return x;
}

static const char *const coordinate_modes[] = {
    [RESIZE_SYMMETRIC] = "half_pixel",
    [RESIZE_ASYMMETRIC] = "asymmetric",
    [RESIZE_ALIGNED] = "align_corners",
};

/* One item, enlarged, on each side of the dimensions behind batch and channel: put there, or by
 * a negative `sign` taken away again. */
static struct emit_padding margin_of(const struct view *view, enum border border, int sign)
{
    struct emit_padding margin = {.shape = {.rank = 2 + view->window.rank}, .border = border};

    for (int i = 0; i < view->window.rank; i++) {
        int64_t factor = view->window.dim[i].size;
        int64_t amount = factor == 1 ? 0 : sign > 0 ? 1 : -factor;
        margin.amount[2 + i][0] = margin.amount[2 + i][1] = amount;
    }
    return margin;
}

/* ONNX repeats the items at the edge, which is what 'reflect-even' does with one item, too. */
static const char *interpolate_turn(const struct view *view, int result, const char *x)
{
    const struct emit *e = view->e;
    const struct resize_attrs *attrs = e->attrs;
    enum border border = (enum border)attrs->border;
    struct emit_padding more = margin_of(view, border, 1), less = margin_of(view, border, -1);
    bool margin =
        attrs->method != RESIZE_ALIGNED && (border == BORDER_CONSTANT || border == BORDER_REFLECT);

    if (margin)
        x = emit_pad(e, EMIT_TEMP, x, &more);
    x = resize(view, margin ? EMIT_TEMP : result, x, "linear");
    emit_attr_string(e, "coordinate_transformation_mode", coordinate_modes[attrs->method]);
    return margin ? emit_pad(e, result, x, &less) : x;
}

typedef const char *turn_function(const struct view *view, int result, const char *x);

static bool take_turns(const struct emit *e, turn_function *enlarge)
{
    struct window window = enlarged(e), turn;
    const char *x = emit_in_rank(e, 0, window.rank);

    if (window_sliding(&window) == 0)
        emit(e, 0, "Identity", x, NULL);
    while (window_turn(&window, &turn)) {
        int last = window_sliding(&window) == 0 ? 0 : EMIT_TEMP;
        struct view view = view_of(e, &turn);
        x = enlarge(&view, view_result(&view, last), view_input(&view, x));
        x = view_leave(&view, last, x);
    }
    return true;
}

static bool nearest_upsample_to_onnx(const struct emit *e)
{
    return take_turns(e, repeat_turn);
}

static bool multilinear_to_onnx(const struct emit *e)
{
    return take_turns(e, interpolate_turn);
}

/* --- descriptors ------------------------------------------------------------------------ */

const struct op_desc op_nearest_downsample = {
    .name = "nearest_downsample",
    .kind = "resize",
    .attrs = nearest_fields,
    .attrs_size = sizeof(struct resize_attrs),
    .infer = downsample_infer,
    .eval = nearest_downsample_eval,
    .to_onnx = nearest_downsample_to_onnx,
};

const struct op_desc op_area_downsample = {
    .name = "area_downsample",
    .kind = "resize",
    .attrs = nearest_fields,
    .attrs_size = sizeof(struct resize_attrs),
    .infer = downsample_infer,
    .eval = area_downsample_eval,
    .to_onnx = area_downsample_to_onnx,
};

const struct op_desc op_nearest_upsample = {
    .name = "nearest_upsample",
    .kind = "resize",
    .attrs = nearest_fields,
    .attrs_size = sizeof(struct resize_attrs),
    .infer = upsample_infer,
    .eval = nearest_upsample_eval,
    .to_onnx = nearest_upsample_to_onnx,
};

const struct op_desc op_multilinear_upsample = {
    .name = "multilinear_upsample",
    .kind = "resize",
    .attrs = multilinear_fields,
    .attrs_size = sizeof(struct resize_attrs),
    .infer = multilinear_infer,
    .eval = multilinear_eval,
    .to_onnx = multilinear_to_onnx,
};
